"""Results → text for people (`text`) and JSON for programs (`jsons`, schemas in `schema/`)."""

FORMATS = ("text", "json")

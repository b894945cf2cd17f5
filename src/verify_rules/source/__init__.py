"""Files and places in them: where every later stage gets the positions it reports."""

from verify_rules.source.cache import cache_folder
from verify_rules.source.files import NotText, SourceFile, discover, read_source, write_source
from verify_rules.source.span import NOWHERE, Span

__all__ = ["NOWHERE", "NotText", "SourceFile", "Span", "cache_folder", "discover", "read_source", "write_source"]

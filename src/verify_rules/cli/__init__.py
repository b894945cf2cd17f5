"""The command `verify-rules`: the only package that reads arguments and prints."""

"""Files and places in them: where every later stage gets the positions it reports."""

from verify_rules.source.files import SourceFile, discover, read_source
from verify_rules.source.span import NOWHERE, Span

__all__ = ["NOWHERE", "SourceFile", "Span", "discover", "read_source"]

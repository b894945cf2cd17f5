"""Reading model files: which files a path names, and their text."""

from __future__ import annotations

import codecs
import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from verify_rules.source.span import Span

SUFFIX = ".md"


@functools.lru_cache(maxsize=64)
def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a text; kept, as many diagnostics are about the same few files."""
    return tuple(text.split("\n"))


@dataclass(frozen=True)
class SourceFile:
    """A file as it was read: `path` as the user would write it, `text` decoded, line ends as `\\n`."""

    path: str
    text: str

    def line(self, number: int) -> str:
        """Line `number` (from 1) without its end; empty beyond the file."""
        lines = lines_of(self.text)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def find(self, word: str, span: Span) -> Span:
        """Where `word` stands first inside `span`; the whole of `span` if it doesn't."""
        whole = re.compile(rf"(?<![\w]){re.escape(word)}(?![\w])")
        for number in range(max(1, span.line), span.end_line + 1):
            line = self.line(number)
            begin = span.column - 1 if number == span.line else 0
            end = span.end_column - 1 if number == span.end_line else len(line)
            found = whole.search(line, begin, end)
            if found is not None:
                return Span(span.path, number, found.start() + 1, number, found.end() + 1)
        return span


class NotText(Exception):
    """A file that isn't UTF-8 text; `offset` is the byte at which decoding failed, `line` its line (from 1)."""

    def __init__(self, path: str, offset: int, line: int) -> None:
        super().__init__(path)
        self.path = path
        self.offset = offset
        self.line = line


def read_source(path: Path, shown: str | None = None) -> SourceFile:
    """Read one file as UTF-8 (a byte-order mark is dropped).

    Raises `NotText` for other encodings and `OSError` when the file can't be read.
    """
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotText(shown or str(path), error.start, data.count(b"\n", 0, error.start) + 1) from error
    return SourceFile(shown or str(path), text.replace("\r\n", "\n").replace("\r", "\n"))


def write_source(path: Path, text: str) -> None:
    """Write a file's new text with the line ends and the byte-order mark that the file has.

    Raises `OSError` when it can't be written.
    """
    before = path.read_bytes()
    data = text.encode()
    if b"\r\n" in before:
        data = data.replace(b"\n", b"\r\n")
    if before.startswith(codecs.BOM_UTF8):
        data = codecs.BOM_UTF8 + data
    path.write_bytes(data)


def discover(paths: Iterable[Path]) -> list[Path]:
    """The Markdown files that `paths` name: a file itself, a folder all of its `.md` files, sorted by name.

    Hidden files and folders below a folder are left out; symbolic links are followed. A path that doesn't exist raises
    `FileNotFoundError`, and so does one below it that leads nowhere; a folder that can't be read raises `OSError`.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(_below(path, set()))
        elif path.exists():
            found.append(path)
        else:
            raise FileNotFoundError(str(path))
    return list(dict.fromkeys(found))


def _below(folder: Path, seen: set[Path]) -> Iterator[Path]:
    """The Markdown files in a folder; of a folder to which several ways lead only once."""
    seen.add(folder.resolve())
    for path in sorted(folder.iterdir(), key=lambda path: (path.is_symlink(), path)):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            if path.resolve() not in seen:
                yield from _below(path, seen)
        elif path.suffix == SUFFIX:
            if not path.exists():
                raise FileNotFoundError(str(path))
            if path.is_file():
                yield path

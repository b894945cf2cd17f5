"""Files → checked model, kept by content so that an unchanged rulebook costs almost nothing the next time."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import re
import sys
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

import verify_rules
from verify_rules.diagnostics import Diagnostic, Related, Reporter, suggestion
from verify_rules.model import model as m
from verify_rules.parse.slips import NO_MODEL, Lexicon
from verify_rules.source import NotText, SourceFile, Span, cache_folder, discover, read_source

if TYPE_CHECKING:
    from verify_rules.parse import tree as t

SHIPPED = "duel-masters"


@dataclass(frozen=True)
class Loaded:
    """What loading gave: no model if there are errors; `own` are the paths of the files named on top of the model."""

    model: m.Model | None
    diagnostics: tuple[Diagnostic, ...]
    files: dict[str, SourceFile]
    own: frozenset[str] = frozenset()

    @property
    def failed(self) -> bool:
        """Whether there are errors."""
        return self.model is None or any(d.severity == "error" for d in self.diagnostics)


def shipped_model() -> Path:
    """The folder of the model that comes with the tool: that of the checkout it runs from, else the installed one.

    An editable install copies the model only once, so the checkout's own has to go first.
    """
    checkout = Path(verify_rules.__file__).resolve().parents[2]
    if (checkout / "pyproject.toml").is_file() and (checkout / "models" / SHIPPED).is_dir():
        return checkout / "models" / SHIPPED
    from importlib import resources

    return Path(str(resources.files("verify_rules").joinpath("models", SHIPPED)))


def load(
    folder: Path | None = None,
    extra: Sequence[Path] = (),
    as_of: date | None = None,
    rulings: bool = True,
    cache: bool = True,
) -> Loaded:
    """Load the model in `folder` (default: the shipped one) with the files and folders of `extra` on top of it.

    Without `rulings` the model's own rulings and claims are left out, which a question doesn't need. A user's mistake
    is a diagnostic, never an exception.
    """
    reporter = Reporter()
    home = shipped_model() if folder is None else folder
    base = _read(home, home, reporter, rulings)
    if folder is not None or base:
        _has_rules(home, list(base.values()), reporter)
    own: dict[Path, SourceFile] = {}
    for path in extra:
        own |= _read(path, None, reporter, True)
    # A file of the model that is named again is one of those asked about, but it is there only once.
    files = {file.path: file for file in (own | base).values()}
    own_paths = frozenset(base.get(path, file).path for path, file in own.items())
    added = [file for path, file in own.items() if path not in base]
    if any(d.code == "folder-without-model" for d in reporter.diagnostics):
        return Loaded(None, reporter.diagnostics, files, own_paths)
    if reporter.failed:
        # What an unreadable file declares isn't known, so only the syntax of the others can be checked.
        _syntax(files.values(), reporter)
        return Loaded(None, reporter.diagnostics, files, own_paths)
    model = _cached(list(base.values()), as_of, reporter, cache)
    if model is not None and added:
        model = _on_top(model, list(base.values()), added, as_of, reporter)
    elif added:
        _syntax(added, reporter)
    return Loaded(None if reporter.failed else model, reporter.diagnostics, files, own_paths)


def _shown(path: Path, root: Path | None) -> str:
    """A path as it is shown: of the model, from the folder's name on (the same on every machine); else as given."""
    if root is None or root != shipped_model():
        return str(path)
    return str(Path(root.name) / path.relative_to(root)) if path != root else root.name


def _like(path: Path) -> str:
    """“Did you mean …?” with a file or folder beside a path that isn't there."""
    try:
        near = suggestion(str(path), [str(path.parent / known.name) for known in path.parent.iterdir()])
    except OSError:
        near = ""
    return near or "Look for a slip in the path."


RULINGS_FOLDER = "rulings"
UNREADABLE = "Name another, or see who may read it."


def _read(path: Path, root: Path | None, reporter: Reporter, rulings: bool) -> dict[Path, SourceFile]:
    """The files that a path names, by their real paths; `root` is the model's folder if they are the model's."""
    try:
        paths = discover([path])
    except FileNotFoundError as error:
        message = f"there is no file or folder `{error}`"
        reporter.report("file-not-found", message, Span(str(error), 0, 0, 0, 0), _like(Path(str(error))))
        return {}
    except OSError as error:
        message = f"`{error.filename or path}` can't be read: {error.strerror}"
        reporter.report("file-not-found", message, Span(str(path), 0, 0, 0, 0), UNREADABLE)
        return {}
    if not paths and root is None:
        message = f"there is no `.md` file in `{path}`, so nothing in it is read"
        help = "Name a file that ends with `.md`, or a folder that has some."
        reporter.report("file-without-rules", message, Span(str(path), 0, 0, 0, 0), help)
    found: dict[Path, SourceFile] = {}
    for file in paths:
        if not rulings and root is not None and RULINGS_FOLDER in file.relative_to(root).parts[:-1]:
            continue
        shown = _shown(file, root)
        try:
            found[file.resolve()] = read_source(file, shown)
        except NotText as error:
            reporter.report(
                "file-encoding",
                f"this file is not UTF-8 text (byte {error.offset + 1} of it can't be read)",
                Span(shown, error.line, 1, error.line, 1),
                "Save it as UTF-8.",
            )
        except OSError as error:
            message = f"`{shown}` can't be read: {error.strerror or error}"
            reporter.report("file-not-found", message, Span(shown, 0, 0, 0, 0), UNREADABLE)
    return found


def _has_rules(home: Path, files: Sequence[SourceFile], reporter: Reporter) -> None:
    if not reporter.failed and not any("```rules" in file.text or "~~~rules" in file.text for file in files):
        reporter.report(
            "folder-without-model",
            f"there is no model in `{home}`: none of its files has a `rules` block",
            Span(str(home), 0, 0, 0, 0),
            "Name the folder of a model with `--model`.",
        )


def rulebook_hash(files: Iterable[SourceFile]) -> str:
    """A hash of the rulebook, its rulings aside: the same whichever of them a command looks at."""
    books = (f for f in files if RULINGS_FOLDER not in Path(f.path).parts[:-1])
    return content_hash(SourceFile(Path(f.path).name, f.text) for f in books)


def content_hash(files: Iterable[SourceFile]) -> str:
    """A hash of names and texts, in order."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.path}\0{len(file.text)}\0".encode())
        digest.update(file.text.encode())
    return digest.hexdigest()


def _cached(files: Sequence[SourceFile], as_of: date | None, reporter: Reporter, cache: bool) -> m.Model | None:
    folder = cache_folder() if cache else None
    if folder is None:
        return _build(files, as_of, reporter)
    version = ".".join(map(str, sys.version_info[:3]))
    key = hashlib.sha256(f"{content_hash(files)} {as_of} {version} {_CODE}".encode())
    kept = folder / f"model-{key.hexdigest()[:32]}.pickle"
    try:
        known, diagnostics = cast("tuple[m.Model, tuple[Diagnostic, ...]]", pickle.loads(kept.read_bytes()))
        if not isinstance(known, m.Model) or not all(isinstance(d, Diagnostic) for d in diagnostics):
            raise TypeError
    except Exception:  # whatever a damaged cache does: it is only a cache
        model = _build(files, as_of, reporter)
        if model is not None and not reporter.failed:
            _keep(kept, (model, reporter.diagnostics))
        return model
    for d in diagnostics:
        reporter.report(d.code, d.message, d.span, d.help, d.related)
    return known


def _keep(path: Path, value: object) -> None:
    """Write a cache file whole or not at all."""
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        part.write_bytes(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))
        part.replace(path)
    except OSError:
        pass
    finally:
        with contextlib.suppress(OSError):
            os.remove(part)  # there still if something went wrong


def _syntax(files: Iterable[SourceFile], reporter: Reporter) -> None:
    from verify_rules.parse.parser import parse_file

    for file in files:
        parse_file(file, reporter)


def _build(
    files: Sequence[SourceFile],
    as_of: date | None,
    reporter: Reporter,
    own: Sequence[SourceFile] = (),
    words: Lexicon = NO_MODEL,
) -> m.Model | None:
    from verify_rules.model import lints, strata
    from verify_rules.model.elaborate import elaborate

    documents = [_parsed(file, reporter, words if file in own else NO_MODEL) for file in (*files, *own)]
    model = elaborate(documents, {f.path: f for f in (*files, *own)}, reporter, as_of, rulebook_hash(files))
    if model is not None:
        # What has an error is left out of the model, so a circle among the rest is one in any case.
        whole = not reporter.failed
        unread = frozenset(item.keyword for document in documents for item in document.broken)
        strata.check(model, reporter)
        lints.check(model, reporter, whole, ranked="precedence" not in unread)
    return model


def _parsed(file: SourceFile, reporter: Reporter, words: Lexicon = NO_MODEL) -> t.Document:
    """A file, parsed once for all days for which this process asks; one with errors is parsed anew, `words` helping."""
    document, clean = _parsed_once(file)
    if clean:
        return document
    from verify_rules.parse.parser import parse_file

    return parse_file(file, reporter, words)


@lru_cache(maxsize=512)
def _parsed_once(file: SourceFile) -> tuple[t.Document, bool]:
    from verify_rules.parse.parser import parse_file

    reporter = Reporter()
    return parse_file(file, reporter), not reporter.diagnostics


def forget_parsed() -> None:
    """Let go of the files that this process has parsed: whoever measures `load`, or needs the memory, calls it."""
    _parsed_once.cache_clear()


def with_rulings(loaded: Loaded, file: SourceFile) -> m.Model | None:
    """A model that was loaded without its rulings, with those of one of its files; None if there are errors."""
    if loaded.model is None or file.path in loaded.files:
        return loaded.model
    reporter = Reporter()
    model = _on_top(loaded.model, list(loaded.files.values()), [file], loaded.model.as_of, reporter)
    return None if reporter.failed else model


def _on_top(
    model: m.Model, base: Sequence[SourceFile], own: Sequence[SourceFile], as_of: date | None, reporter: Reporter
) -> m.Model | None:
    """The model with further files: rulings and claims are simply added, anything else means building it anew."""
    from verify_rules.model.hints import lexicon
    from verify_rules.model.scenario import Scenarios
    from verify_rules.parse import tree as t

    words = lexicon(model)
    documents = [_parsed(file, reporter, words) for file in own]
    items = [item for document in documents for item in document.items]
    broken = {word for document in documents for item in document.broken for word in item.words}
    foreign = False
    for item in items:
        if isinstance(item, t.Ruling | t.Claim | t.Card | t.Enum) or (
            isinstance(item, t.Block) and item.what != "rule"
        ):
            continue
        foreign = True
        keyword = _keyword(item)
        reporter.report(
            "not-of-scenarios",
            f"`{keyword}` belongs to the model itself",
            item.span.first(len(keyword)),
            "Other files may have cards, abilities, effects, rulings and claims; `--model` names a model.",
        )
    if foreign:
        # What these declare isn't known to the model, so nothing can be said of the rest.
        return None
    if all(isinstance(item, t.Ruling | t.Claim | t.Card) for item in items):
        return Scenarios(model, {f.path: f for f in own}, reporter, broken).add(items)
    found = Reporter()
    built = _build(base, as_of, found, own, words)
    _blame(items, {file.path for file in base}, found, reporter)
    return built


def _blame(items: Sequence[t.Item], base: Container[str], found: Reporter, reporter: Reporter) -> None:
    """Pass on what was found; an error in the model, which has none by itself, is told where its cause is declared."""
    from verify_rules.parse import tree as t

    declared: dict[str, Span] = {}
    for item in items:
        if isinstance(item, t.Block):
            declared.setdefault(item.name, item.span.first(len(item.what)))
        elif isinstance(item, t.Enum):
            declared.update({x.name: x.span for x in item.members if x.name not in declared})
    for d in found.diagnostics:
        cause = next((x for x in re.findall("`(.*?)`", d.message) if x in declared), None)
        if d.severity != "error" or d.span.path not in base or cause is None:
            reporter.report(d.code, d.message, d.span, d.help, d.related)
            continue
        reporter.report(
            "taken-name",
            f"the model uses `{cause}` as a name of its own, which this would hide",
            declared[cause],
            "Choose another name.",
            [Related(d.span, "here, for example")],
        )


def _keyword(item: object) -> str:
    from verify_rules.parse import tree as t

    if isinstance(item, t.Event):
        return "action" if item.action else "event"
    return item.what if isinstance(item, t.Block) else type(item).__name__.lower()


def _code_hash() -> str:
    """Changes whenever the code that builds models may have changed: its version and its files' sizes and times."""
    root = Path(verify_rules.__file__).parent
    parts = [verify_rules.__version__]
    for package in ("source", "diagnostics", "parse", "model"):
        for file in sorted((root / package).rglob("*")):
            if file.suffix in (".py", ".lark"):
                stat = file.stat()
                parts.append(f"{file.name} {stat.st_size} {stat.st_mtime_ns}")
    return "|".join(parts)


# Taken when this code is loaded: a process that outlives a change of the files must not file its results as theirs.
_CODE = _code_hash()

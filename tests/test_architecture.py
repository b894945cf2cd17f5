"""The shape of the source (docs/decisions, CONTRIBUTING): who may import whom, and who may speak to the user.

A module imports from its own package and from those before it in `ORDER`. Imports inside functions and under
`TYPE_CHECKING` count like all others, and so does `import_module("…")`.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NAME = "verify_rules"
SOURCE = ROOT / "src" / NAME
ORDER = (
    "source",
    "diagnostics",
    "parse",
    "model",
    "semantics",
    "encode",
    "solve",
    "explain",
    "analysis",
    "report",
    "cli",
)
# A library that only one package may import, wherever in a module.
KEPT_IN = {"z3": "solve", "click": "cli"}
SPEAKS = "cli"
MOST_LINES = 700

MODULES = sorted(SOURCE.rglob("*.py"))


def dotted(path: Path) -> tuple[str, ...]:
    """The name of a module in parts: (`verify_rules`, `parse`, `tree`); a package ends with `__init__`."""
    return path.relative_to(SOURCE.parent).with_suffix("").parts


def package_of(module: tuple[str, ...]) -> str:
    """The package of a module; `__main__` beside the packages is the cli's, `__init__` beside them nobody's."""
    if len(module) > 2 or (len(module) == 2 and module[1] in ORDER):
        return module[1]
    return "cli" if module[1:] == ("__main__",) else ""


def rank(package: str) -> int:
    """The place in the order; -1 for the outermost `__init__`, which imports nothing and may be imported by all."""
    return ORDER.index(package) if package else -1


def imports(tree: ast.AST, module: tuple[str, ...]) -> list[tuple[int, str]]:
    """Every module that is imported, with its line; `from a import b` gives `a.b`, as b may be a module."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = module[: len(module) - node.level] if node.level else ()
            start = ".".join([*base, *([node.module] if node.module else [])])
            found += [(node.lineno, f"{start}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Call) and called(node) in {"import_module", "__import__"}:
            first = node.args[0] if node.args else None
            known = isinstance(first, ast.Constant) and isinstance(first.value, str)
            found.append((node.lineno, str(first.value) if known and isinstance(first, ast.Constant) else "?"))
    return found


def called(node: ast.Call) -> str:
    """The last name of what is called: `print`, `import_module` of `importlib.import_module`."""
    match node.func:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def wrong_imports(text: str, module: tuple[str, ...]) -> list[str]:
    """The imports of a module that it may not have."""
    own = package_of(module)
    wrong = []
    for line, name in imports(ast.parse(text), module):
        top, *rest = name.split(".")
        if name == "?":
            wrong.append(f"{line}: imports a module whose name is not written down")
        elif top == NAME and rest and rest[0] in ORDER and rank(rest[0]) > rank(own):
            wrong.append(f"{line}: {own or NAME} imports {name}, which comes after it")
        elif top in KEPT_IN and own != KEPT_IN[top]:
            wrong.append(f"{line}: {own or NAME} imports {top}, which only {KEPT_IN[top]} may")
    return wrong


def speech(text: str, module: tuple[str, ...]) -> list[str]:
    """Where a module other than the cli's writes to the standard output."""
    if package_of(module) == SPEAKS:
        return []
    tree = ast.parse(text)
    found = []
    for line, name in imports(tree, module):
        if name in {"sys.stdout", "sys.__stdout__", "rich.print", "builtins.print"}:
            found.append(f"{line}: imports {name}")
    for node in ast.walk(tree):
        match node:
            case ast.Name(id="print"):
                found.append(f"{node.lineno}: print")
            case ast.Attribute(value=ast.Name(id="sys"), attr="stdout" | "__stdout__"):
                found.append(f"{node.lineno}: sys.{node.attr}")
            # rich's console writes to the standard output unless it is given a file
            case ast.Call() if called(node) == "Console" and not any(k.arg == "file" for k in node.keywords):
                found.append(f"{node.lineno}: a Console without a file")
            case _:
                pass
    return found


def test_packages_are_those_of_the_design() -> None:
    folders = {p.parent.name for p in SOURCE.glob("*/*.py")}
    assert folders <= set(ORDER), f"not in the order of packages: {sorted(folders - set(ORDER))}"
    docstring = ast.get_docstring(ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))) or ""
    assert " → ".join(ORDER) in " ".join(docstring.split()), "the package's docstring tells another order"


def test_every_package_has_a_docstring() -> None:
    folders = sorted({p.parent for p in MODULES})
    missing = [
        str(folder.relative_to(ROOT))
        for folder in folders
        if not (folder / "__init__.py").is_file()
        or not ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    ]
    assert not missing


@pytest.mark.parametrize("path", MODULES, ids=lambda p: ".".join(dotted(p)[1:]))
def test_module(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = wrong_imports(text, dotted(path)) + speech(text, dotted(path))
    lines = text.count("\n")
    if lines > MOST_LINES:
        found.append(f"{lines} lines, more than {MOST_LINES}: two subjects in one?")
    assert not found, "\n".join(f"{path.relative_to(ROOT)}:{x}" for x in found)


PARSE = (NAME, "parse", "tree")


@pytest.mark.parametrize(
    ("module", "text"),
    [
        (PARSE, "import verify_rules.model"),
        (PARSE, "from verify_rules import model"),
        (PARSE, "from verify_rules.model.types import Type"),
        (PARSE, "from ..model import types"),
        (PARSE, "def f():\n    from verify_rules.cli import main"),
        (PARSE, "if TYPE_CHECKING:\n    from verify_rules.encode import Term"),
        (PARSE, "import importlib\nimportlib.import_module('verify_rules.model')"),
        (PARSE, "import importlib\nimportlib.import_module(name)"),
        (PARSE, "__import__('z3')"),
        (PARSE, "def f():\n    import z3"),
        (PARSE, "from z3.z3util import get_vars"),
        ((NAME, "parse", "__init__"), "from ..solve import Session"),
        ((NAME, "report", "text"), "import click"),
        ((NAME, "__init__"), "from verify_rules.source import Span"),
    ],
)
def test_a_wrong_import_is_found(module: tuple[str, ...], text: str) -> None:
    assert wrong_imports(text, module)


@pytest.mark.parametrize(
    ("module", "text"),
    [
        (PARSE, "from verify_rules.source import Span\nfrom verify_rules.parse import build\nfrom . import markdown"),
        (PARSE, "from verify_rules import __version__"),
        ((NAME, "solve", "session"), "import z3\nfrom verify_rules.encode.terms import Term"),
        ((NAME, "cli", "main"), "import click\nfrom verify_rules.report import text"),
        ((NAME, "__main__"), "from verify_rules.cli.main import main"),
    ],
)
def test_a_right_import_is_left_alone(module: tuple[str, ...], text: str) -> None:
    assert not wrong_imports(text, module)


@pytest.mark.parametrize(
    "text",
    [
        "print('x')",
        "def f():\n    list(map(print, []))",
        "import sys\nsys.stdout.write('x')",
        "from sys import stdout",
        "from rich import print",
        "from rich.console import Console\nConsole()",
    ],
)
def test_speech_is_found(text: str) -> None:
    assert speech(text, (NAME, "report", "text"))
    assert not speech(text, (NAME, "cli", "main"))

"""What every file of the project keeps to, and what a release can't do without.

The patterns are written with brackets and groups, so that this file doesn't match itself.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from verify_rules import __version__

ROOT = Path(__file__).resolve().parent.parent
DECISIONS = ROOT / "docs" / "decisions"

REGISTRIES = re.compile(
    r"""
      pypi[.]org | pythonhoste[d] | pypi[.]python
    | npmj[s] | registry[.](?:npm|yarn)
    | (?<!\w)crates[.]io | rubygems[.]org | repo1?[.]maven | proxy[.]golang
    | anaconda[.](?:org|com) | (?:registry|hub)[.]docker | (?:ghcr|quay)[.]io
    | (?:deb|ftp|security|snapshot|archive|packages|mirrors?)[.](?:\w+[.])?(?:debian|ubuntu)[.](?:org|com)
    | mirrors?[.][\w-]+[.]\w+/(?:debian|ubuntu|pypi)
    """,
    re.VERBOSE | re.IGNORECASE,
)
# A path from the root of somebody's machine. `../home/x`, `a/tmp/b` and addresses are none.
MACHINE_PATHS = re.compile(r"(?<![\w.~)}\]-])(?:/(?:work|root|home|tmp|farm|Users|mnt)\b|[A-Z]:\\Users\b)")


def tracked() -> list[Path]:
    """The files under version control; in an unpacked release, where there is none, all that it holds."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode == 0:
        files = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    else:
        files = [p for p in ROOT.rglob("*") if not any(x.startswith(".") for x in p.relative_to(ROOT).parts)]
    return sorted(p for p in files if p.is_file())


def hits(pattern: re.Pattern[str]) -> list[str]:
    """Where a pattern is found, as `file:line: what`; files that aren't text are left out."""
    found = []
    for path in tracked():
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except UnicodeDecodeError:
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}: {match.group()}"
            for number, line in enumerate(lines, start=1)
            if (match := pattern.search(line))
        ]
    return found


def test_files_are_found() -> None:
    assert Path(__file__).parent / "test_architecture.py" in tracked() or not (ROOT / ".git").exists()
    assert ROOT / "pyproject.toml" in tracked()


def test_no_package_registry_is_named() -> None:
    assert not hits(REGISTRIES)


def test_no_path_of_a_machine_is_named() -> None:
    assert not hits(MACHINE_PATHS)


@pytest.mark.parametrize(
    "parts",
    [
        ("https://py", "pi.org/simple"),
        ("files.python", "hosted.org"),
        ("registry.np", "mjs.org"),
        ("deb.deb", "ian.org"),
    ],
    ids=lambda parts: parts[0].split("//")[-1],
)
def test_a_registry_is_found(parts: tuple[str, str]) -> None:
    assert REGISTRIES.search("".join(parts))


@pytest.mark.parametrize("folder", ["work", "root", "home", "tmp", "Users"])
def test_a_machine_path_is_found(folder: str) -> None:
    assert MACHINE_PATHS.search(f"see /{folder}/x")
    assert MACHINE_PATHS.search(f"'/{folder}/x'")
    assert not MACHINE_PATHS.search(f"../{folder}/x")
    assert not MACHINE_PATHS.search(f"https://example.com/{folder}/x")


def test_changelog_tells_of_this_version() -> None:
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"Unreleased", __version__} & set(headings)


def test_version_is_told_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project.get("version", __version__) == __version__


def test_license_is_mit() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert text.startswith("MIT License\n")
    assert "Permission is hereby granted, free of charge, to any person obtaining a copy" in text
    assert project["license"] == "MIT"


RECORDS = sorted(DECISIONS.glob("*.md"))


@pytest.mark.parametrize("path", RECORDS, ids=lambda p: p.stem)
def test_decision_record(path: Path) -> None:
    """Its number is its own and in its title; its decision is a sentence under the heading `Decision`."""
    name = re.fullmatch(r"(\d{4})-[a-z0-9]+(?:-[a-z0-9]+)*", path.stem)
    assert name, "a record's file is called NNNN-title.md"
    assert [p.stem for p in RECORDS if p.stem.startswith(name[1])] == [path.stem], "two records have one number"
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f"# {int(name[1])}. ")
    section = re.search(r"^## Decision\n+([^#\n].*?)(?=\n\n|\n#|\Z)", text, re.MULTILINE | re.DOTALL)
    assert section, "no text under the heading `Decision`"
    assert re.fullmatch(r"[A-Z`].*[.]", section[1].strip(), re.DOTALL), "the decision is not a sentence"


def test_there_are_decision_records() -> None:
    assert RECORDS

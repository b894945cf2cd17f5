"""The wheel: installed somewhere else, without the checkout, it gives the same answers, model included."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from verify_rules.model.load import load

ROOT = Path(__file__).resolve().parent.parent
QUESTION = ["ask", "--given", "x : psychic; enter(x); awaken(x)", "can attack(x, _)", "sick(x)", "--format", "json"]

pytestmark = pytest.mark.slow


def run(*command: object, cwd: Path | None = None, path: Path | None = None) -> str:
    """Runs a command that has to succeed; `path` is a folder of packages to be found after the interpreter's own.

    The installed program has a cache of its own, so that it reads nothing that the checkout made.
    """
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VERIFY_RULES"))}
    own = Path(os.environ["VERIFY_RULES_CACHE"])
    added = {"VERIFY_RULES_CACHE": str(own.with_name("cache-of-the-installed") if path is None else own)}
    if path is not None:
        added["PYTHONPATH"] = str(path)
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=clean | added,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files(folder: Path) -> list[Path]:
    """The files of the project below a folder: caches and hidden ones are none."""
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(x.startswith((".", "__pycache__")) for x in path.relative_to(folder).parts)
    ]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program in a fresh environment, which has the packages that the tool needs, and not the checkout."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=False)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    python = next(p for p in (scripts / "python", scripts / "python.exe") if p.exists())
    # This environment's packages are found through a .pth file, after the fresh ones; the checkout's own, which is
    # installed here by a .pth file too, isn't, as .pth files are read in the first folder only.
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index"]
    run(*pip, wheel)
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return scripts / ("verify-rules.exe" if os.name == "nt" else "verify-rules")


def test_the_wheel_has_all_that_is_needed(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    model = {f"verify_rules/{p.relative_to(ROOT).as_posix()}" for p in files(ROOT / "models")}
    code = {p.relative_to(ROOT / "src").as_posix() for p in files(ROOT / "src")}
    assert {n for n in model | code if n not in names} == set()
    assert {f"verify_rules/report/schema/{n}.schema.json" for n in ("ask", "audit", "check")} <= names
    assert {"verify_rules/py.typed", "verify_rules/parse/rulebook.lark"} <= names
    others = {n for n in names if not n.startswith(("verify_rules/", "verify_rules-"))}
    assert others == set()


def test_it_is_the_installed_one_that_runs(installed: Path, tmp_path: Path) -> None:
    python = next(installed.parent.glob("python*"))
    where = Path(run(python, "-c", "import verify_rules; print(verify_rules.__file__)", cwd=tmp_path).strip())
    assert installed.parent.parent.resolve() in where.resolve().parents
    shown = run(python, "-c", "from verify_rules.model.load import shipped_model as s; print(s())", cwd=tmp_path)
    assert installed.parent.parent.resolve() in Path(shown.strip()).resolve().parents


@pytest.mark.parametrize("arguments", [QUESTION, ["check"], ["ask", "--help"]], ids=lambda a: a[0])
def test_it_answers_as_the_checkout_does(installed: Path, tmp_path: Path, arguments: list[str]) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    found = run(installed, *arguments, cwd=empty)
    checkout = run(sys.executable, "-m", "verify_rules.cli.main", *arguments, cwd=empty, path=ROOT / "src")
    assert found == checkout
    assert found
    assert list(empty.iterdir()) == []


def test_it_audits_its_own_model(installed: Path, tmp_path: Path) -> None:
    """As many rulings as the checkout has, and none refuted."""
    done = json.loads(run(installed, "audit", "--format", "json", cwd=tmp_path))
    checkout = load().model
    assert checkout is not None
    assert [r["name"] for r in done["rulings"]] == [r.name for r in checkout.rulings]
    assert {r["outcome"] for r in done["rulings"]}.isdisjoint({"refuted", "impossible", "not_searched"})


def test_it_audits_a_file_of_the_user(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text(
        '```rules\nruling mine "sick" cites "a letter"\n  cards\n    x : creature\n  script\n    enter(x)\n'
        "    expect sick(x)\n```\n",
        encoding="utf-8",
    )
    assert run(installed, "audit", "mine.md", cwd=tmp_path).startswith("1 ruling: 1 confirmed")


def test_every_schema_is_there(installed: Path, tmp_path: Path) -> None:
    for name in ("ask", "audit", "check"):
        assert f'"const": "verify-rules/{name}/' in run(installed, "dump", "--schema", name, cwd=tmp_path)

"""Reports of how rule engines get attacks wrong: each is a ruling of the model, and the model is not built that way."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from verify_rules.analysis import audit
from verify_rules.cli.main import run
from verify_rules.explain import Words
from verify_rules.model.load import load, shipped_model
from verify_rules.model.model import Ruling

ROOT = Path(__file__).resolve().parent.parent
COLLECTED = ROOT.parent / "shared" / "duel-masters" / "bug-reports.yaml"
TABLE = ROOT / "models" / "duel-masters" / "rulings" / "engines-running-attack.md"


@pytest.fixture(scope="module")
def of_engines() -> list[Ruling]:
    """The rulings that come from reports."""
    model = load().model
    assert model is not None
    return [r for r in model.rulings if r.meta.kind == "engine"]


def entries() -> dict[str, dict[str, str]]:
    """The fields of each report, on whatever level they stand; nothing more of YAML is needed."""
    parts = re.split(r"(?m)^- id: (\S+)$", COLLECTED.read_text(encoding="utf-8"))
    fields = (dict(re.findall(r"(?m)^ +(url|date|applies): '?([^'\n]*)'?$", part)) for part in parts[2::2])
    return dict(zip(parts[1::2], fields, strict=True))


def named(report: str, rulings: list[Ruling]) -> list[Ruling]:
    """The rulings that a report has become: they bear its id."""
    return [r for r in rulings if r.name.startswith(f"{report}-")]


@pytest.mark.skipif(not COLLECTED.is_file(), reason="../shared is only there where the project is developed")
class TestCollected:
    def test_each_that_applies_is_a_ruling(self, of_engines: list[Ruling]) -> None:
        applies = [name for name, entry in entries().items() if entry["applies"] in {"yes", "partly"}]
        assert len(applies) == 84
        assert [name for name in applies if not named(name, of_engines)] == []

    def test_each_ruling_is_of_one_report(self, of_engines: list[Ruling]) -> None:
        for ruling in of_engines:
            (entry,) = (entry for name, entry in entries().items() if named(name, [ruling]))
            assert ruling.meta.url == entry["url"], ruling.name
            whole = re.fullmatch(r"\d{4}-\d\d-\d\d", entry["date"])
            assert str(ruling.meta.dated) == (entry["date"] if whole else "None"), ruling.name
            assert ruling.meta.cites, ruling.name
            assert ruling.meta.confidence in {"high", "medium", "low"}, ruling.name

    def test_the_others_are_listed_with_a_reason(self, of_engines: list[Ruling]) -> None:
        others = {name for name, entry in entries().items() if entry["applies"] == "mtg-only"}
        listed = re.findall(r"(?m)^\| ([a-z]+-\d+) \| .+ \| .+ \|$", TABLE.read_text(encoding="utf-8"))
        assert sorted(listed) == sorted(others)
        assert [name for name in others if named(name, of_engines)] == []


def test_they_are_there(of_engines: list[Ruling]) -> None:
    """Also where the collection is not: the tests above must not be all there is."""
    assert len(of_engines) >= 84
    assert len({r.name for r in of_engines if r.out_of_scope is not None}) <= 1


# What engines lost on the way, lost in a block of the model: the clause, what is left of it, who notices.
LOST = {
    "a condition": (
        "forbid attack(self, player) when has_attacked(self)",
        "forbid attack(self, player)",
        {"phase-8064-the-first-attack", "phase-7144-without-its-condition"},
    ),
    "a part of a paragraph": (
        "not sick(self)\n  forbid attack(self, player)",
        "not sick(self)",
        {"phase-2874-each-part-counts", "hs-662-freed-and-barred-or-permitted"},
    ),
    "whose creatures it is about": (
        "when o.owner = self.owner and is_of_race(o, survivor)",
        "",
        {"dm-go-202-before-and-after-the-giver"},
    ),
    "that it asks for the power of now": (
        "forbid attack(self, _) when present_power(self) < 6000",
        "forbid attack(self, _) when self.power < 6000",
        {"magarena-819-bonus-first"},
    ),
}


@pytest.mark.parametrize("lost", LOST)
def test_what_an_engine_lost_is_noticed(lost: str, tmp_path: Path) -> None:
    whole, left, noticed = LOST[lost]
    folder = tmp_path / "model"
    shutil.copytree(shipped_model(), folder)
    cards = folder / "cards" / "engine-cards.md"
    text = cards.read_text(encoding="utf-8")
    assert text.count(whole) == 1
    cards.write_text(text.replace(whole, left), encoding="utf-8")
    loaded = load(folder, cache=False)
    assert not loaded.failed
    assert loaded.model is not None
    model = loaded.model
    rulings = [r for r in model.rulings if r.meta.kind == "engine"]
    results = audit(model, rulings, Words(model), lambda day, path: None)
    assert {r.ruling.name for r in results if r.outcome in {"refuted", "impossible"}} == noticed


def test_an_answer_names_the_ban_and_what_lifts_it(capsys: pytest.CaptureFixture[str]) -> None:
    cards = "e : creature with frees_blockers in play; c : creature with blocker, cannot_attack in play"
    assert run(["ask", "--given", f"{cards}; o : creature in play", "can attack(c, player)"]) == 0
    out = capsys.readouterr().out
    assert "can attack(c, player): yes" in out
    assert re.search(r"lifted: cannot_attack .*\n +by: frees_blockers ", out)

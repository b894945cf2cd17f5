"""The published rulings that were collected: each is a ruling of the model, as sure and as old as its source says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from verify_rules.model.load import load
from verify_rules.model.model import Ruling

ROOT = Path(__file__).resolve().parent.parent
COLLECTED = ROOT.parent / "shared" / "duel-masters" / "rulings.yaml"
AN_ID = re.compile(r"o-[a-z]{3}-\d\d")


@pytest.fixture(scope="module")
def rulings() -> list[Ruling]:
    model = load().model
    assert model is not None
    return list(model.rulings)


def entries() -> dict[str, str]:
    """The entries of the collection by their ids; nothing more of YAML is needed than where one begins."""
    text, _, _ = COLLECTED.read_text(encoding="utf-8").partition("\ncontradictions:")
    parts = re.split(r"(?m)^- id: (O-[A-Z]{3}-\d\d)$", text)
    return dict(zip((name.lower() for name in parts[1::2]), parts[2::2], strict=True))


@pytest.mark.skipif(not COLLECTED.is_file(), reason="../shared is only there where the project is developed")
class TestCollected:
    def test_each_is_a_ruling_once(self, rulings: list[Ruling]) -> None:
        found = [match.group() for r in rulings if (match := AN_ID.match(r.name))]
        assert sorted(found) == sorted(entries())
        assert len(found) == 99

    def test_each_says_what_its_source_is(self, rulings: list[Ruling]) -> None:
        for name, entry in entries().items():
            (ruling,) = (r for r in rulings if r.name.startswith(name))
            meta = ruling.meta
            assert meta.cites, name
            assert meta.kind, name
            assert f"\n  confidence: {meta.confidence}\n" in f"{entry}\n", name
            source, _, after = entry.partition("\n  source:\n")[2].partition("\n  date_or_version: ")
            assert (meta.url is not None) or "http" not in source, name
            days = re.findall(r"\d{4}-\d\d-\d\d", after.split("\n  confidence:")[0])
            assert not days or str(meta.dated) in days, name

    def test_addresses_are_whole(self, rulings: list[Ruling]) -> None:
        """They can be followed as they stand: no letters or signs that would have to be encoded first."""
        urls = [r.meta.url for r in rulings if AN_ID.match(r.name) and r.meta.url is not None]
        assert urls
        assert [u for u in urls if not re.fullmatch(r"https?://[!-~]+", u) or set(u) & set('"<>\\^`{|}')] == []

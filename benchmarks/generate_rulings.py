"""Rulings in any number, to see how `audit` grows: seeded scripts with the right expectations, written as files.

    python benchmarks/generate_rulings.py FOLDER NUMBER [SEED]

Each ruling is a filling of a shape of `boards.py`; what it expects was computed once, by the reference.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

PER_FILE = 200


def main(folder: Path, number: int, seed: int = 1) -> None:
    """Write `number` rulings into files of the folder."""
    from benchmarks.boards import ACTION, SHAPES, Filled, fillings, shipped
    from verify_rules.model.model import Model
    from verify_rules.semantics import Args, Readings, explore, run

    def ruling(model: Model, filled: Filled, name: str) -> str:
        source = random.Random(f"{seed} {name}")
        own, foes = filled.scenario.objects[:3], filled.scenario.objects[3:]
        targets: Args = ("player", *source.sample(foes, 2))
        pairs = [(source.choice(own), target) for target in targets]

        def expected(readings: Readings) -> list[str]:
            final = run(model, filled.scenario, readings).final
            can = [("can" if final.verdict(ACTION, pair).legal else "cannot") for pair in pairs]
            said = [f"{word} {ACTION}({actor}, {target})" for word, (actor, target) in zip(can, pairs, strict=True)]
            return [*said, f"{'' if final.status('sick', own[:1]) else 'not '}sick({own[0]})"]

        # What depends on how an open point is read isn't expected.
        by_default, *others = (said for _, said in explore(model, expected))
        lines = [f'ruling {name} "{filled.shape.name}: generated to measure"', '  cites "generated" kind derived']
        lines += ["  cards", *(f"    {card}" for card in filled.cards), "  script"]
        lines += [f"    {step.strip()}" for step in filled.shape.script.split(";")]
        lines += [f"    expect {x}" for x in dict.fromkeys(by_default) if all(x in said for said in others)]
        return "\n".join(lines)

    model = shipped()
    each = -(-number // len(SHAPES))
    texts = [ruling(model, f, f"generated-{i:05}") for i, f in enumerate(fillings(model, each, seed), start=1)][:number]
    folder.mkdir(parents=True, exist_ok=True)
    for first in range(0, number, PER_FILE):
        body = "\n\n".join(texts[first : first + PER_FILE])
        path = folder / f"generated-{first // PER_FILE:04}.md"
        path.write_text(f"# Generated rulings\n\n```rules\n{body}\n```\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))

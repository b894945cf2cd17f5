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
    from benchmarks.boards import SHAPES, Filled, fillings, shipped
    from verify_rules.model.model import Model
    from verify_rules.model.types import Value
    from verify_rules.semantics import run

    def ruling(model: Model, filled: Filled, name: str) -> str:
        source = random.Random(f"{seed} {name}")
        final = run(model, filled.scenario).final
        own, foes = final.board.objects[:3], final.board.objects[3:]
        lines = [f'ruling {name} "{filled.shape.name}: generated to measure"', '  cites "generated" kind derived']
        lines += ["  cards", *(f"    {card}" for card in filled.cards), "  script"]
        lines += [f"    {step.strip()}" for step in filled.shape.script.split(";")]
        targets: tuple[Value, ...] = ("player", *source.sample(foes, 2))
        for target in targets:
            actor = source.choice(own)
            word = "can" if final.verdict("attack", (actor, target)).legal else "cannot"
            lines.append(f"    expect {word} attack({actor}, {target})")
        lines.append(f"    expect {'' if final.status('sick', (own[0],)) else 'not '}sick({own[0]})")
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

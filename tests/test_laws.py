"""The laws of the meaning, on generated rulebooks and boards (design, section 3; generate.py, laws.py).

Where hypothesis draws, the drawn integers are the generator's choices, so what it shrinks is the rulebook. Examples
depend on the seed of a test alone: the same in every run. Hypothesis repeats itself (a third of these examples), so the
2,000 boards of the first law are those of seeds, as in `tests/soak.py`, which runs it for as long as asked.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, note, seed, settings
from hypothesis import strategies as st

import soak
from generate import Rulebook, dice_of, rulebook
from generate_formulas import Dice
from laws import (
    BOARDS,
    assignments,
    check,
    compare,
    count,
    differences,
    load,
    load_trees,
    moments,
    observe_run,
    pairs,
    probe,
    recorded,
    replayed,
    status_arguments,
    text_of,
    variables_of,
)
from verify_rules.encode import Encoding, Factory
from verify_rules.model.model import Model
from verify_rules.model.types import Obj
from verify_rules.parse import tree as t
from verify_rules.parse.printer import print_item
from verify_rules.semantics import Applying, Board, Moment, Readings, Run, run
from verify_rules.source import SourceFile

CHUNKS = 20
BOARDS_IN_CHUNK = 100


@st.composite
def books(draw: st.DrawFn, boards: int = 1) -> Rulebook:
    """A rulebook with so many boards."""
    return rulebook(Dice(lambda n: draw(st.integers(0, n - 1))), boards)


def law(examples: int, start: int = 0) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """So many examples, the same ones in every run."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        fixed = settings(
            max_examples=examples,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=False,
        )
        decorated: Callable[..., None] = seed(start)(fixed(test))
        return decorated

    return decorate


def model_of(book: Rulebook) -> Model:
    """The rulebook's model; one that `check` refuses is no example."""
    loaded = load_trees(book)
    note(loaded)  # its text, if there is a failure to tell of
    assume(loaded.model is not None)
    assert loaded.model is not None
    return loaded.model


def runs(model: Model) -> list[Run]:
    """The runs of all boards under all assignments of the readings."""
    return [
        run(model, ruling.scenario, Readings(model, chosen))
        for ruling in model.rulings
        for chosen in assignments(model)
    ]


# ---------------------------------------------------------------- the generator


def test_the_generated_boards_have_all_there_is_to_test() -> None:
    stats: Counter[str] = Counter()
    refused = 0
    for number in range(60):
        loaded = load_trees(rulebook(dice_of(number), BOARDS))
        if loaded.model is None:
            refused += 1
            continue
        for done in runs(loaded.model):
            count(done, observe_run(done), stats)
    assert refused <= 3

    def share(name: str, of: str) -> float:
        return stats[name] / stats[of]

    assert share("runs to the end", "runs") > 0.5
    assert share("prologues stopped", "runs") < 0.15
    assert share("steps happened", "steps") > 0.6
    assert share("steps that change something", "steps happened") > 0.3
    assert 0.05 < share("steps impossible", "steps") < 0.4
    assert stats["steps fault"] > 3
    assert stats["steps mistaken"] > 50
    assert stats["mistakes repaired"] > 5
    for kind in ("required", "permitted", "forbidden", "not permitted", "impossible"):
        assert share(f"verdict {kind}", "verdicts") > 0.05, kind
    assert share("stage steering", "verdicts") > 0.005
    assert share("stage duty", "verdicts") > 0.05
    assert share("pairs with a lifted norm", "pairs at the end") > 0.05
    assert share("pairs with several levels", "pairs at the end") > 0.2
    assert share("pairs with carriers", "pairs at the end") > 0.1
    assert 0.1 < share("statuses that hold", "statuses") < 0.7
    assert 0.15 < share("expectations that hold", "expectations") < 0.7
    assert share("questions: yes", "questions") > 0.03
    assert share("steps replaced", "steps happened") > 0.02
    assert share("steps with an addition", "steps happened") > 0.03
    assert stats["steps amended by a carrier"] > 10
    assert stats["steps amended inside"] > 3
    assert stats["steps with several additions"] > 3
    assert 0.1 < share("triggers asked about: yes", "triggers asked about") < 0.9
    assert stats["triggers in expectations"] > 50


def test_the_generator_depends_on_its_choices_alone() -> None:
    assert rulebook(dice_of(5), BOARDS) == rulebook(dice_of(5), BOARDS) == replayed(recorded(5))
    assert rulebook(dice_of(5), 1) != rulebook(dice_of(6), 1)
    plainest = load(replayed([]))
    assert plainest.model is not None, plainest.report()


# ---------------------------------------------------------------- 1: two meanings, one truth


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_reference_and_encoding_agree(chunk: int) -> None:
    stats: Counter[str] = Counter()
    for number in range(1000 * chunk, 1000 * chunk + 999):
        result = soak.work(number, load_trees)
        assert not result.failure, soak.explain(result, seconds=60)
        stats += result.stats
        if stats["pairs"] >= BOARDS_IN_CHUNK:
            break
    assert stats["pairs"] >= BOARDS_IN_CHUNK


@pytest.mark.parametrize("chunk", range(3))
def test_reference_and_encoding_agree_on_what_hypothesis_draws(chunk: int) -> None:
    @law(20, chunk)
    @given(books(2))
    def agree(book: Rulebook) -> None:
        model = model_of(book)
        for ruling in model.rulings:
            difference = compare(model, ruling.name, ruling.scenario, Counter())
            assert difference is None, f"{difference}"

    agree()


# ---------------------------------------------------------------- 2: simplifying changes no value


@pytest.mark.parametrize("chunk", range(4))
def test_simplified_terms_have_the_values_of_naive_ones(chunk: int) -> None:
    @law(10, 100 + chunk)
    @given(books())
    def equal(book: Rulebook) -> None:
        model = model_of(book)
        scenario = model.rulings[0].scenario
        simplified = Encoding(model, scenario)
        naive = Encoding(model, scenario, factory=Factory(simplify=False))
        some, others = probe(simplified, scenario), probe(naive, scenario)
        for chosen in assignments(model):
            seen = some.observations(variables_of(model, simplified, chosen))
            naively = others.observations(variables_of(model, naive, chosen))
            # A run that stops makes what comes after it meaningless, but not different.
            wrong = differences({key: naively[key] for key in others.reads if key in some.reads}, seen)
            assert not wrong, wrong

    equal()


# ---------------------------------------------------------------- 3: text and tree


@law(60, 200)
@given(books())
def test_printing_and_parsing_give_the_rulebook_back(book: Rulebook) -> None:
    from verify_rules.diagnostics import Reporter
    from verify_rules.parse.parser import parse_file, parse_text

    items = [*book.items, *book.scenarios]
    for item in items:
        reporter = Reporter()
        text = print_item(item)
        assert parse_text(text, "item", "test", reporter) == item, text
        assert not reporter.diagnostics
    assert list(parse_file(SourceFile("book.md", text_of(items)), Reporter()).items) == items


# ---------------------------------------------------------------- 4: order means nothing


def named(value: Any) -> Any:
    """A value that doesn't know its objects' identity or the numbers of clauses."""
    match value:
        case frozenset():
            return tuple(sorted({str(named(v)) for v in value}))
        case tuple():
            return tuple(named(v) for v in value)
        case Obj():
            return f"object {value.name}"
        case str():
            return value.split("#")[0]
        case bool() | int() | None:
            return value
        case _:
            return repr(value)


def reordered(book: Rulebook, order: random.Random) -> list[SourceFile]:
    """The rulebook in up to three files, its items and the clauses of its blocks in another order.

    The parts of an enumeration keep theirs: the first member is what a field begins with.
    """
    items: list[t.Item] = [*book.items, *book.scenarios]
    items = [
        replace(x, clauses=tuple(order.sample(x.clauses, len(x.clauses)))) if isinstance(x, t.Block) else x
        for x in items
    ]
    order.shuffle(items)
    enums = iter([x for x in book.items if isinstance(x, t.Enum)])
    items = [next(enums) if isinstance(x, t.Enum) else x for x in items]
    cuts = sorted(order.randrange(len(items) + 1) for _ in range(2))
    parts = [items[: cuts[0]], items[cuts[0] : cuts[1]], items[cuts[1] :]]
    return [SourceFile(f"{n}.md", text_of(part)) for n, part in enumerate(parts) if part]


@law(60, 300)
@given(books(2), st.integers(0, 1 << 30))
def test_the_order_of_clauses_items_and_files_changes_nothing(book: Rulebook, number: int) -> None:
    model = model_of(book)
    files = reordered(book, random.Random(number))
    other, diagnostics = check(files)
    assert other is not None, diagnostics
    twins = {ruling.name: ruling.scenario for ruling in other.rulings}
    for ruling in model.rulings:
        for chosen in assignments(model):
            first = observe_run(run(model, ruling.scenario, Readings(model, chosen)), asks=False)
            second = observe_run(run(other, twins[ruling.name], Readings(other, chosen)), asks=False)
            expected = {named(key): named(value) for key, value in first.items()}
            assert {named(key): named(value) for key, value in second.items()} == expected


# ---------------------------------------------------------------- 5 and 6: verdicts as design 2.4 defines them


def strength_of(model: Model, applying: Applying) -> int | None:
    """The place of an instance in the precedence, found afresh."""
    word = "forbid" if applying.instance.norm.word == "price" else applying.instance.norm.word
    levels = list(model.precedence)
    level = (applying.instance.norm.strength, word)
    return levels.index(level) if level in levels else None


def instances(found: list[Applying]) -> set[tuple[str, Any]]:
    """Instances without what their names stand for."""
    return {(a.instance.norm.id, a.instance.carrier) for a in found}


def decided(moment: Moment, action: str, pair: tuple[Any, ...]) -> tuple[str, set[tuple[str, Any]]]:
    """The base verdict from the list of what applies: the strongest level that isn't lifted."""
    model = moment.board.model
    if moment.base(action, pair).kind == "impossible":
        return "impossible", set()
    left = [a for a in moment.applying(action, pair) if not a.lifted_by]
    places = {n for a in left if (n := strength_of(model, a)) is not None}
    if not places:
        return "not permitted", set()
    strongest = [a for a in left if strength_of(model, a) == min(places)]
    permits = strongest[0].instance.norm.word == "permit"
    return "permitted" if permits else "forbidden", instances(strongest)


def standing(moment: Moment, action: str, pair: tuple[Any, ...], word: str) -> bool:
    """Whether a norm of the word applies to the pair and isn't lifted."""
    return any(a.instance.norm.word == word and not a.lifted_by for a in moment.applying(action, pair))


@law(60, 400)
@given(books(2))
def test_the_strongest_norm_that_is_not_lifted_decides(book: Rulebook) -> None:
    model = model_of(book)
    for done in runs(model):
        for _, moment in moments(done):
            for action in model.actions:
                for pair in pairs(model, action.name, done.board.candidates):
                    base = moment.base(action.name, pair)
                    kind, deciding = decided(moment, action.name, pair)
                    assert base.kind == kind
                    assert {(i.norm.id, i.carrier) for i in base.deciding} == deciding


@law(60, 500)
@given(books(2))
def test_steering_and_duty_are_as_defined(book: Rulebook) -> None:
    model = model_of(book)
    for done in runs(model):
        for _, moment in moments(done):
            for action in model.actions:
                check_actors(moment, action.name)


def check_actors(moment: Moment, action: str) -> None:
    """Design 2.4, 3 and 4, for every actor: steering, then D(a), then the verdicts and `must`."""
    everything = list(pairs(moment.board.model, action, moment.board.candidates))
    for actor in dict.fromkeys(pair[:1] for pair in everything):
        own = [pair for pair in everything if pair[:1] == actor]
        base = {pair: decided(moment, action, pair)[0] for pair in own}
        permitted = [pair for pair in own if base[pair] == "permitted"]
        steered = [pair for pair in permitted if standing(moment, action, pair, "steer")]
        left = steered or permitted
        duty = [pair for pair in left if standing(moment, action, pair, "require")]
        assert set(moment.duty(action, actor)) == set(duty)
        for pair in own:
            expected = base[pair]
            if pair in duty:
                expected = "required"
            elif pair in permitted and (duty or pair not in left):
                expected = "forbidden"
            assert moment.verdict(action, pair).kind == expected
            assert moment.ask("must", action, pair) == (duty == [pair])


# ---------------------------------------------------------------- 7: what lifting leaves alone


def lifting_everything(model: Model, action: str) -> t.Block:
    """A rule that lifts every norm of an action."""
    words: tuple[Any, ...] = ("permit", "forbid", "require", "steer")
    victims = [t.Victim("class", None, None, word) for word in words]
    for block in model.blocks.values():
        if block.what != "group":
            victims.append(t.Victim(block.what, block.name))
    wild = tuple(t.Pattern() for _ in model.events[action].parameters)
    lifts = t.Lifts(tuple(dict.fromkeys(victims)), t.Head(action, wild))
    return t.Block("rule", "all_lifted", None, t.Notes(), (lifts,))


@law(40, 600)
@given(books(2))
def test_lifting_touches_neither_requirements_nor_statuses(book: Rulebook) -> None:
    model = model_of(book)
    for action in model.actions:
        extended = load_trees(replace(book, items=(*book.items, lifting_everything(model, action.name))))
        assert extended.model is not None, extended.report()
        for done in runs(model):
            fixed = {
                o: {n: table[o,] for n, table in done.board.fixed.items() if (o,) in table} for o in done.board.objects
            }
            board = Board(extended.model, done.board.objects, fixed)
            for _, moment in moments(done):
                lifted = Moment(board, moment.state, Readings(extended.model, done.readings.assignment))
                check_lifted(moment, lifted, action.name)


def check_lifted(moment: Moment, lifted: Moment, action: str) -> None:
    """Requirements and statuses as before; but no norm is left."""
    model, candidates = moment.board.model, moment.board.candidates
    for pair in product(*(candidates(p.type) for p in model.events[action].parameters)):
        before, after = moment.verdict(action, pair), lifted.verdict(action, pair)
        assert (before.kind == "impossible") == (after.kind == "impossible")
        assert before.failing_group == after.failing_group
        assert after.kind in ("impossible", "not permitted")
        assert len(moment.applying(action, pair)) == len(lifted.applying(action, pair))
    for name in model.statuses:
        for args in status_arguments(model, name, candidates):
            assert moment.status(name, args) == lifted.status(name, args)

"""Terms: what the simplifying constructors give has the value of what was asked for, whatever the variables are."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, cast

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from verify_rules.encode.compiled import Compiled
from verify_rules.encode.terms import Factory, SortError, Term
from verify_rules.encode.walks import evaluate, is_boolean, render, size_of, subterms, variables
from verify_rules.solve.backend import Backend

BOOLS = ("p", "q", "r")
INTS = {"x": (-1, 2), "y": (0, 1)}
GROUP = ("g=1", "g=2", "g=3")
PAIR = ("h=1", "h=2")

# How to build a term in any factory: the name of a constructor and what it is given.
Recipe = tuple[Any, ...]


def build(f: Factory, recipe: Recipe) -> Term:
    """The term that the factory makes of a recipe."""
    name, *given = recipe
    match name:
        case "var":
            return f.bool_var(given[0])
        case "number":
            return f.int_var(given[0], *INTS[given[0]])
        case "boolean" | "integer":
            return f.boolean(given[0]) if name == "boolean" else f.integer(given[0])
        case "at_least":
            return f.at_least(given[0], [build(f, g) for g in given[1]])
        case "all_of" | "any_of" | "count":
            return cast(Term, getattr(f, name)([build(f, g) for g in given[0]]))
        case "add":
            return f.add(*(build(f, g) for g in given[0]))
        case _:
            return cast(Term, getattr(f, name)(*(build(f, g) for g in given)))


@st.composite
def _bools(draw: st.DrawFn, depth: int = 4) -> Recipe:
    inner = _bools(depth - 1)
    kinds = (
        ["var", "boolean"] if depth == 0 else ["var", "not_", "all_of", "any_of", "iff", "implies", "ite", "at_least"]
    )
    name = draw(st.sampled_from([*kinds, "le", "eq"] if depth > 1 else kinds))
    match name:
        case "var":
            return name, draw(st.sampled_from(BOOLS + GROUP + PAIR))
        case "boolean":
            return name, draw(st.booleans())
        case "all_of" | "any_of":
            return name, draw(st.lists(inner, max_size=4))
        case "at_least":
            return name, draw(st.integers(-1, 5)), draw(st.lists(inner, max_size=4))
        case "le" | "eq":
            return name, draw(_ints(depth - 1)), draw(_ints(depth - 1))
        case _:
            return name, *(draw(inner) for _ in range({"not_": 1, "ite": 3}.get(name, 2)))


@st.composite
def _ints(draw: st.DrawFn, depth: int = 3) -> Recipe:
    inner = _ints(depth - 1)
    kinds = ["number", "integer"] if depth == 0 else ["number", "count", "add", "neg", "sub", "ite"]
    name = draw(st.sampled_from(kinds))
    match name:
        case "number":
            return name, draw(st.sampled_from(sorted(INTS)))
        case "integer":
            return name, draw(st.integers(-2, 3))
        case "count":
            return name, draw(st.lists(_bools(depth - 1), max_size=3))
        case "add":
            return name, draw(st.lists(inner, max_size=3))
        case "ite":
            return name, draw(_bools(depth - 1)), draw(inner), draw(inner)
        case _:
            return name, *(draw(inner) for _ in range(1 if name == "neg" else 2))


RECIPES = _bools()


def assignments(term: Term, *more: Term) -> list[dict[str, bool | int]]:
    """All values of the variables; of the two groups exactly one each."""
    names = variables(term, *more)
    choices: list[list[dict[str, bool | int]]] = []
    for group in (GROUP, PAIR):
        if any(n in names for n in group):
            choices.append([{n: n == chosen for n in group} for chosen in group])
    for name, variable in names.items():
        if name not in GROUP + PAIR:
            values = (False, True) if variable.sort == "Bool" else range(variable.low, variable.high + 1)
            choices.append([{name: v} for v in values])
    return [{k: v for part in parts for k, v in part.items()} for parts in itertools.product(*choices)]


def factories() -> tuple[Factory, Factory]:
    pair = Factory(), Factory(simplify=False)
    for factory in pair:
        for group in (GROUP, PAIR):
            factory.exactly_one([factory.bool_var(n) for n in group])
    return pair


@given(RECIPES)
def test_a_simplified_term_has_the_value_of_the_naive_one(recipe: Recipe) -> None:
    simplifying, naive = factories()
    simple, plain = build(simplifying, recipe), build(naive, recipe)
    for assignment in assignments(plain, simple):
        assert evaluate(simple, assignment) == evaluate(plain, assignment)


@given(RECIPES)
def test_compiled_terms_have_the_same_value_on_every_board(recipe: Recipe) -> None:
    for factory in factories():
        term = build(factory, recipe)
        boards = assignments(term)
        expected = [evaluate(term, board) for board in boards]
        try:
            compiled = Compiled([term, factory.true])
        except SortError:
            assert any(not is_boolean(t) for t in subterms([term]))
            continue
        columns = {name: sum(board[name] << i for i, board in enumerate(boards)) for name in variables(term)}
        ones = (1 << len(boards)) - 1
        assert compiled(columns, len(boards)) == (sum(v << i for i, v in enumerate(expected)), ones)
        for board, value in zip(boards, expected, strict=True):
            assert compiled({name: int(v) for name, v in board.items()}) == (value, True)


def test_long_junctions_compile() -> None:
    f = Factory()
    names = [f"p{n}" for n in range(5_000)]
    parts = [f.bool_var(n) for n in names]
    both = Compiled([f.all_of(parts), f.any_of(parts)])
    assert both(dict.fromkeys(names, 1)) == (1, 1)
    assert both({**dict.fromkeys(names, 1), "p4321": 0}) == (0, 1)
    assert both(dict.fromkeys(names, 0)) == (0, 0)
    assert both({**dict.fromkeys(names, 0b00), "p4321": 0b10}, 2) == (0, 0b10)


@given(_ints())
def test_a_number_stays_within_its_bounds(recipe: Recipe) -> None:
    for factory in factories():
        term = build(factory, recipe)
        for assignment in assignments(term):
            assert term.low <= evaluate(term, assignment) <= term.high


@given(RECIPES, RECIPES)
def test_the_same_recipe_gives_the_same_term(first: Recipe, second: Recipe) -> None:
    for factory in factories():
        one = build(factory, first)
        build(factory, second)
        assert build(factory, first) is one


@given(RECIPES)
def test_a_simplified_term_is_simple_already(recipe: Recipe) -> None:
    """Building it again from its own parts changes nothing that the value could see, and makes nothing larger."""
    factory, _ = factories()
    term = build(factory, recipe)
    built: dict[Term, Term] = {}
    for part in subterms([term]):
        args = [built[a] for a in part.args]
        match part.op:
            case "not":
                built[part] = factory.not_(*args)
            case "and":
                built[part] = factory.all_of(args)
            case "or":
                built[part] = factory.any_of(args)
            case "at_least":
                built[part] = factory.at_least(part.number, args)
            case _:
                built[part] = part
    assert built[term] is term or size_of(built[term]) <= size_of(term)


@given(RECIPES)
@settings(max_examples=60, deadline=None)
def test_the_solver_agrees(recipe: Recipe) -> None:
    for factory in factories():
        term = build(factory, recipe)
        backend = Backend(numbers=True)
        expression = backend.expression(term)
        names = variables(term)
        for assignment in assignments(term)[:24]:
            known = [(backend.expression(v), _constant(assignment[n], backend)) for n, v in names.items()]
            value = z3.simplify(z3.substitute(expression, *known))
            assert bool(z3.is_true(value)) == evaluate(term, assignment)


def _constant(value: bool | int, backend: Backend) -> Any:
    factory = Factory()
    return backend.expression(factory.boolean(value) if isinstance(value, bool) else factory.integer(value))


@given(RECIPES)
def test_the_text_tells_every_variable(recipe: Recipe) -> None:
    factory, _ = factories()
    term = build(factory, recipe)
    text = render(term)
    assert all(name in text for name in variables(term))


# ---------------------------------------------------------------- single laws, by name


@pytest.fixture
def f() -> Factory:
    return Factory()


def test_constants_fold(f: Factory) -> None:
    p = f.bool_var("p")
    assert f.and_(p, f.true) is p
    assert f.and_(p, f.false) is f.false
    assert f.or_() is f.false
    assert f.and_() is f.true
    assert f.or_(p, f.not_(p)) is f.true
    assert f.and_(p, p) is p
    assert f.not_(f.not_(p)) is p
    assert f.le(f.integer(3), f.integer(4)) is f.true
    assert f.add(f.integer(3), f.neg(f.integer(3))) is f.integer(0)


def test_junctions_flatten_absorb_and_propagate(f: Factory) -> None:
    p, q, r = (f.bool_var(n) for n in "pqr")
    assert f.and_(f.and_(p, q), r) is f.and_(r, f.and_(q, p))
    assert f.and_(p, f.or_(p, q)) is p
    assert f.and_(p, f.or_(f.not_(p), q)) is f.and_(p, q)
    assert f.or_(p, f.and_(f.not_(p), q)) is f.or_(p, q)
    assert f.and_(p, f.not_(f.or_(q, f.not_(p)))) is f.and_(p, f.not_(q))
    assert f.and_(p, f.ite(p, q, r)) is f.and_(p, q)


def test_choices_with_equal_branches(f: Factory) -> None:
    p, q = f.bool_var("p"), f.bool_var("q")
    assert f.ite(p, q, q) is q
    assert f.ite(p, f.true, q) is f.or_(p, q)
    assert f.ite(p, q, f.not_(q)) is f.iff(p, q)
    assert f.ite(f.not_(p), f.integer(1), f.integer(2)) is f.ite(p, f.integer(2), f.integer(1))
    assert f.le(f.ite(p, f.integer(3), f.integer(7)), f.integer(5)) is p


def test_a_count_against_a_number_is_a_threshold(f: Factory) -> None:
    p, q, r = (f.bool_var(n) for n in "pqr")
    count = f.count([p, q, r])
    assert f.le(f.integer(2), count) is f.at_least(2, [p, q, r])
    assert f.le(count, f.integer(2)) is f.or_(*(f.not_(t) for t in (p, q, r)))
    assert f.le(f.integer(1), count) is f.or_(p, q, r)
    assert f.eq(count, f.integer(0)) is f.and_(*(f.not_(t) for t in (p, q, r)))
    assert f.le(f.count([p]), f.count([q])) is f.implies(p, q)
    assert f.le(f.integer(4), count) is f.false


def test_exactly_one_is_used(f: Factory) -> None:
    a, b, c = group = [f.bool_var(f"g={n}") for n in range(3)]
    constraint = f.exactly_one(group)
    assert constraint is not f.true
    assert f.and_(a, b) is f.false
    assert f.or_(a, b, c) is f.true
    assert f.and_(f.not_(a), f.not_(b)) is c
    assert f.or_(f.not_(a), f.not_(b)) is f.true
    assert f.and_(a, f.not_(b)) is a
    yes, no = pair = [f.bool_var(n) for n in ("yes", "no")]
    f.exactly_one(pair)
    assert f.not_(yes) is no
    with pytest.raises(SortError):
        f.exactly_one([a])


def test_sorts_are_checked(f: Factory) -> None:
    p, x = f.bool_var("p"), f.int_var("x", 0, 3)
    wrongs: list[Callable[[], Term]] = [
        lambda: f.and_(p, x),
        lambda: f.not_(x),
        lambda: f.add(x, p),
        lambda: f.le(p, x),
        lambda: f.eq(p, x),
        lambda: f.ite(p, p, x),
        lambda: f.ite(x, p, p),
        lambda: f.at_least(1, [x]),
        lambda: f.int_var("p", 0, 1),
        lambda: f.int_var("x", 0, 4),
    ]
    for wrong in wrongs:
        with pytest.raises(SortError):
            wrong()


def test_terms_are_counted(f: Factory) -> None:
    before, asked = len(f), f.asked
    p = f.bool_var("p")
    f.not_(p)
    f.not_(p)
    assert len(f) == before + 2
    assert f.asked > asked + 2
    assert f.counts["not"] == 1
    assert sum(f.counts.values()) == len(f)


def test_shared_parts_have_a_name_in_the_text(f: Factory) -> None:
    p, q, r = (f.bool_var(n) for n in "pqr")
    both = f.and_(p, q)
    text = render(f.iff(both, r), f.ite(r, both, f.not_(p)), names=["one", "two"])
    assert text.splitlines() == [
        "t1 := p and q",
        "one: r iff t1",
        "two: if r then t1 else not p",
    ]


def test_deep_terms_need_no_deep_stack() -> None:
    f = Factory(simplify=False)
    term = f.bool_var("p")
    for _ in range(20_000):
        term = f.not_(term)
    assert evaluate(term, {"p": True}) is True
    assert size_of(term) == 20_001
    assert Compiled([term])({"p": 1}) == (1,)
    assert Backend(numbers=False).expression(term) is not None

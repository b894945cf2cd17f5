"""The solver's sessions: answers, cores, budgets; and SMT-LIB text that means the same."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest
import z3
from hypothesis import given, settings

from test_terms import GROUP, PAIR, RECIPES, Recipe, assignments, build, factories
from verify_rules.encode.terms import Factory, SortError, Term
from verify_rules.encode.walks import evaluate
from verify_rules.solve import (
    Budget,
    Sat,
    Solver,
    Unknown,
    Unsat,
    all_assignments,
    entails,
    minimal_core,
    to_smt2,
)


@pytest.fixture
def f() -> Factory:
    return Factory()


def holes(f: Factory, count: int) -> list[Term]:
    """One pigeon too many: hard for every solver of this kind."""
    at = {(p, h): f.bool_var(f"{p} in {h}") for p in range(count + 1) for h in range(count)}
    terms = [f.any_of(at[p, h] for h in range(count)) for p in range(count + 1)]
    for h in range(count):
        terms += [f.not_(f.and_(at[p, h], at[q, h])) for p, q in itertools.combinations(range(count + 1), 2)]
    return terms


def test_the_library_is_imported_when_it_is_first_asked() -> None:
    code = (
        "import sys, verify_rules.solve as s, verify_rules.encode as e; f = e.Factory(); "
        "solver = s.Solver([f.bool_var('p')]); assert 'z3' not in sys.modules; "
        "solver.check(); assert 'z3' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})


@given(RECIPES)
@settings(max_examples=60, deadline=None)
def test_an_answer_is_right(recipe: Recipe) -> None:
    """An assignment satisfies the term; where there is none, no assignment does."""
    for factory in (Factory(), Factory(simplify=False)):
        constraints = [factory.exactly_one([factory.bool_var(n) for n in group]) for group in (GROUP, PAIR)]
        term = build(factory, recipe)
        match Solver([term, *constraints]).check():
            case Sat(found):
                assert evaluate(term, found) is True
            case Unsat():
                assert not any(evaluate(term, assignment) for assignment in assignments(term))
            case Unknown() as unknown:
                raise AssertionError(unknown)


def test_assumptions_and_cores(f: Factory) -> None:
    p, q, r = (f.bool_var(n) for n in "pqr")
    solver = Solver([f.implies(p, q)])
    assert isinstance(solver.check(), Sat)
    result = solver.check(r, p, f.not_(q))
    assert isinstance(result, Unsat)
    assert set(result.core) == {p, f.not_(q)}
    assert isinstance(solver.check(p), Sat)
    compound = f.and_(p, f.not_(q))
    result = solver.check(r, compound)
    assert isinstance(result, Unsat)
    assert result.core == (compound,)
    assert isinstance(solver.check(r), Sat), "an assumption is forgotten after its check"


def test_scopes(f: Factory) -> None:
    p, x = f.bool_var("p"), f.int_var("x", 0, 9)
    solver = Solver()
    solver.push()
    solver.add(p)
    assert isinstance(solver.check(f.not_(p)), Unsat)
    solver.add(f.le(f.integer(4), x))
    result = solver.check()
    assert isinstance(result, Sat)
    assert result.assignment["p"] is True
    assert 4 <= result.assignment["x"] <= 9
    solver.pop()
    result = solver.check(f.not_(p), f.not_(f.le(f.integer(4), x)))
    assert isinstance(result, Sat)
    assert 0 <= result.assignment["x"] <= 3, "the bounds of a number outlive the scope in which it was met"
    with pytest.raises(IndexError):
        solver.pop()


def test_an_assumed_compound_does_not_outlive_its_scope(f: Factory) -> None:
    p, q = f.bool_var("p"), f.bool_var("q")
    both = f.and_(p, q)
    solver = Solver()
    solver.push()
    solver.check(both)
    solver.pop()
    result = solver.check(both)
    assert isinstance(result, Sat)
    assert result.assignment == {"p": True, "q": True}


def test_a_budget_of_work_repeats(f: Factory) -> None:
    terms = holes(f, 11)
    used = []
    for _ in range(2):
        solver = Solver(terms, Budget(work=200_000))
        result = solver.check()
        assert isinstance(result, Unknown)
        assert result.reason == "work"
        used.append(solver.work)
    assert used[0] == used[1] > 0
    assert isinstance(Solver(holes(f, 4), Budget(work=200_000)).check(), Unsat)


def test_a_budget_of_time(f: Factory) -> None:
    solver = Solver(holes(f, 12))
    result = solver.check(budget=Budget(seconds=0.2))
    assert isinstance(result, Unknown)
    assert result.reason == "time"


def test_entailment(f: Factory) -> None:
    p, q = f.bool_var("p"), f.bool_var("q")
    solver = Solver([f.implies(p, q)])
    assert isinstance(entails(solver, f, q, p), Unsat)
    assert isinstance(entails(solver, f, p, q), Sat)


def test_all_assignments(f: Factory) -> None:
    p, q, r, free = (f.bool_var(n) for n in ("p", "q", "r", "free"))
    solver = Solver([f.or_(p, q), f.or_(r, f.not_(r))])
    result = all_assignments(solver, f, [p, q])
    assert result.complete
    assert [tuple(a.values()) for a in result.found] == [(False, True), (True, False), (True, True)]
    assert all_assignments(solver, f, [p, q]) == result, "nothing is left behind"
    assert len(all_assignments(solver, f, [p, free]).found) == 4
    assert [a["q"] for a in all_assignments(solver, f, [q], [f.not_(p)]).found] == [True]
    cut = all_assignments(solver, f, [p, q], limit=2)
    assert len(cut.found) == 2
    assert not cut.complete
    assert all_assignments(solver, f, [], [f.not_(p), f.not_(q)]).found == ()
    assert all_assignments(solver, f, []).found == ({},)
    x = f.int_var("x", 0, 9)
    numbers = all_assignments(solver, f, [x], [f.not_(f.le(f.integer(3), x))])
    assert [a["x"] for a in numbers.found] == [0, 1, 2]
    with pytest.raises(ValueError, match="variables"):
        all_assignments(solver, f, [f.not_(p)])


def test_all_assignments_out_of_budget(f: Factory) -> None:
    result = all_assignments(Solver(holes(f, 11), Budget(work=100_000)), f, [f.bool_var("0 in 0")])
    assert not result.complete
    assert result.unknown is not None


def test_a_minimal_core(f: Factory) -> None:
    p, q, r = (f.bool_var(n) for n in "pqr")
    solver = Solver([f.or_(f.not_(p), f.not_(q))])
    core = minimal_core(solver, [r, f.or_(p, r), p, q, f.implies(r, p)])
    assert core == (p, q) or core == (r, q, f.implies(r, p))
    assert isinstance(minimal_core(solver, [p, r]), Sat)


def test_only_propositions_are_asserted(f: Factory) -> None:
    with pytest.raises(SortError):
        Solver([f.int_var("x", 0, 1)])
    with pytest.raises(SortError):
        Solver().check(f.int_var("x", 0, 1))


@given(RECIPES)
@settings(max_examples=40, deadline=None)
def test_the_exported_text_has_the_same_answer(recipe: Recipe) -> None:
    for factory in factories():
        term = build(factory, recipe)
        text = to_smt2({"the term": term, "again": term}, [factory.true], comment="for a test\nof two lines")
        solver = z3.Solver()
        solver.from_string(text)
        answer = Solver([term]).check()
        assert (solver.check() == z3.sat) == isinstance(answer, Sat)


def test_the_exported_text(f: Factory) -> None:
    p, x = f.bool_var("reading:a=b"), f.int_var("x|y", -2, 3)
    assert to_smt2({"r": f.or_(p, f.le(x, f.integer(-1)))}) == (
        "(set-logic QF_LIA)\n"
        "(set-option :produce-unsat-cores true)\n"
        "(declare-const |reading:a=b| Bool)\n"
        "(declare-const |x/y| Int)\n"
        "(assert (<= (- 2) |x/y| 3))\n"
        "(assert (! (or |reading:a=b| (<= |x/y| (- 1))) :named |!r|))\n"
        "(check-sat)\n"
    )
    assert "QF_UF" in to_smt2({"p": p})

"""Symbolic values and the operations on them, which mirror the formulas of `model/expr.py`.

A truth value is a term. A finite value is a `Choice`, a set is `Members`. A number is a `Choice` of constants where
there are few, else a term of sort Int.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from verify_rules.encode.terms import Factory, Term
from verify_rules.encode.walks import evaluate_all
from verify_rules.model.types import Atom, Obj, Value

MOST_CASES = 64


@dataclass(frozen=True, eq=False, slots=True)
class Choice:
    """One of some constants: exactly one of the terms is true."""

    cases: Mapping[Atom, Term]

    @property
    def is_constant(self) -> bool:
        """Whether only one value is possible."""
        return len(self.cases) == 1

    @property
    def constant(self) -> Atom:
        """The only possible value."""
        (value,) = self.cases
        return value


@dataclass(frozen=True, eq=False, slots=True)
class Members:
    """A set: the term of a value says whether it is an element; those left out aren't."""

    cases: Mapping[Atom, Term]


Sym = Term | Choice | Members


class Symbolic:
    """The operations, with the factory that makes their terms."""

    def __init__(self, factory: Factory) -> None:
        self.factory = factory
        self._constants: dict[tuple[type, Atom], Choice] = {}
        self.none = self.atom(None)
        self.nothing = Members({})

    # ------------------------------------------------------------ making values

    def atom(self, value: Atom) -> Choice:
        """The constant choice."""
        key = (type(value), value)
        known = self._constants.get(key)
        if known is None:
            known = self._constants[key] = Choice({value: self.factory.true})
        return known

    def const(self, value: Value) -> Sym:
        """A constant."""
        if isinstance(value, frozenset):
            return self.members((v, self.factory.true) for v in sorted(value, key=_order))
        if isinstance(value, bool):
            return self.factory.boolean(value)
        return self.atom(value)

    def choice(self, cases: Iterable[tuple[Atom, Term]]) -> Choice:
        """A choice; the terms of one value are joined, impossible values are left out."""
        found = self._gathered(cases)
        for value, when in found.items():
            if when.is_true or len(found) == 1:
                return self.atom(value)
        if not found:
            raise ValueError("a choice of nothing")
        return Choice(found)

    def members(self, cases: Iterable[tuple[Atom, Term]]) -> Members:
        """A set; the terms of one element are joined, impossible elements are left out."""
        return Members(self._gathered(cases))

    def _gathered(self, cases: Iterable[tuple[Atom, Term]]) -> dict[Atom, Term]:
        found: dict[Atom, list[Term]] = {}
        for value, when in cases:
            if not when.is_false:
                found.setdefault(value, []).append(when)
        joined = {value: self._any(terms) for value, terms in found.items()}
        return {value: when for value, when in joined.items() if not when.is_false}

    def _any(self, terms: list[Term]) -> Term:
        return terms[0] if len(terms) == 1 else self.factory.any_of(terms)

    def number(self, term: Term) -> Sym:
        """A term as a value: a number that is constant is a choice."""
        return self.atom(term.number) if term.op == "const" and term.sort == "Int" else term

    # ------------------------------------------------------------ looking into values

    def bool_term(self, value: Sym) -> Term:
        """A truth value as its term."""
        if not isinstance(value, Term) or value.sort != "Bool":
            raise TypeError(f"{value} is no truth value")
        return value

    def int_term(self, value: Sym) -> Term:
        """A number as a term of sort Int."""
        if isinstance(value, Term):
            return value
        result: Term | None = None
        for constant, when in reversed(list(self.as_choice(value).cases.items())):
            if not isinstance(constant, int):
                raise TypeError(f"{constant!r} is no number")
            number = self.factory.integer(constant)
            result = number if result is None else self.factory.ite(when, number, result)
        assert result is not None
        return result

    def as_choice(self, value: Sym) -> Choice:
        """A finite value."""
        if not isinstance(value, Choice):
            raise TypeError(f"{value} is no choice")
        return value

    def as_set(self, value: Sym) -> Members:
        """A set."""
        if not isinstance(value, Members):
            raise TypeError(f"{value} is no set")
        return value

    def among(self, choice: Choice, wanted: Callable[[Atom], bool]) -> Term:
        """The value is one for which the function is true."""
        yes: list[Term] = []
        no: list[Term] = []
        for value, when in choice.cases.items():
            (yes if wanted(value) else no).append(when)
        if not no or not yes:
            return self.factory.boolean(not no)
        return self._any(yes) if len(yes) <= len(no) else self.factory.not_(self._any(no))

    def cases(self, value: Sym) -> Iterator[tuple[Atom, Term]]:
        """All possible constants with the term of each; numbers of sort Int within their bounds."""
        if isinstance(value, Members):
            raise TypeError("a set isn't split into cases")
        if isinstance(value, Choice):
            yield from value.cases.items()
        elif value.sort == "Bool":
            for truth, when in ((True, value), (False, self.factory.not_(value))):
                if not when.is_false:
                    yield truth, when
        else:
            for number in range(value.low, value.high + 1):
                when = self.factory.eq(value, self.factory.integer(number))
                if not when.is_false:
                    yield number, when

    def combinations(self, values: Sequence[Sym]) -> Iterator[tuple[tuple[Atom, ...], Term]]:
        """All possible tuples of constants, each with the term that says it is the one."""
        for combination in itertools.product(*(list(self.cases(v)) for v in values)):
            when = self.factory.all_of(w for _, w in combination)
            if not when.is_false:
                yield tuple(v for v, _ in combination), when

    def key(self, value: Sym) -> Hashable:
        """What two values have in common only if they are the same."""
        if isinstance(value, Term):
            return value
        if isinstance(value, Choice) and value.is_constant:
            return type(value.constant), value.constant
        return type(value), frozenset(value.cases.items())

    def concrete(self, value: Sym, assignment: Mapping[str, bool | int]) -> Value:
        """The value when the variables have these values."""
        if isinstance(value, Term):
            return evaluate_all([value], assignment)[0]
        truths = evaluate_all(list(value.cases.values()), assignment)
        chosen = [atom for atom, truth in zip(value.cases, truths, strict=True) if truth]
        if isinstance(value, Members):
            return frozenset(chosen)
        if len(chosen) != 1:
            raise ValueError(f"not exactly one of {list(value.cases)}: {chosen}")
        return chosen[0]

    def swapped(self, value: Sym, x: Obj, y: Obj) -> Sym:
        """The value with two objects exchanged."""
        if isinstance(value, Term) or (x not in value.cases and y not in value.cases):
            return value
        other: dict[Atom, Atom] = {x: y, y: x}
        cases = {other.get(v, v) if isinstance(v, Obj) else v: when for v, when in value.cases.items()}
        return Choice(cases) if isinstance(value, Choice) else Members(cases)

    # ------------------------------------------------------------ choosing

    def ite(self, condition: Term, yes: Sym, no: Sym) -> Sym:
        """One of two values of one type."""
        f = self.factory
        if condition.op == "const" or yes is no:
            return yes if condition.is_true or yes is no else no
        if isinstance(yes, Choice) and isinstance(no, Choice):
            merged = self._merged(condition, yes.cases, no.cases)
            if len(merged) > MOST_CASES and isinstance(next(iter(merged)), int):
                return f.ite(condition, self.int_term(yes), self.int_term(no))
            return self.choice(merged.items())
        if isinstance(yes, Members) and isinstance(no, Members):
            return self.members(self._merged(condition, yes.cases, no.cases).items())
        if isinstance(yes, Members) or isinstance(no, Members):
            raise TypeError("a set and something else")
        return self.number(f.ite(condition, self.int_term(yes), self.int_term(no)))

    def _merged(self, condition: Term, yes: Mapping[Atom, Term], no: Mapping[Atom, Term]) -> dict[Atom, Term]:
        f = self.factory
        return {v: f.ite(condition, yes.get(v, f.false), no.get(v, f.false)) for v in dict.fromkeys([*yes, *no])}

    def select(self, options: Iterable[tuple[Term, Sym]]) -> Sym:
        """One of many values of one type; exactly one of the conditions is true."""
        values: dict[Hashable, Sym] = {}
        whens: dict[Hashable, list[Term]] = {}
        for when, value in options:
            if not when.is_false:
                key = self.key(value)
                values[key] = value
                whens.setdefault(key, []).append(when)
        if not values:
            raise ValueError("a selection from nothing")
        if len(values) == 1:
            return next(iter(values.values()))
        f = self.factory
        pairs = [(self._any(whens[key]), value) for key, value in values.items()]
        first = pairs[0][1]
        if isinstance(first, Members):
            return self.members(
                (v, f.and_(when, inner)) for when, value in pairs for v, inner in self.as_set(value).cases.items()
            )
        if isinstance(first, Term) and first.sort == "Bool":
            return f.any_of(f.and_(when, self.bool_term(value)) for when, value in pairs)
        choices = [(when, value) for when, value in pairs if isinstance(value, Choice)]
        several = len({v for _, value in choices for v in value.cases}) <= MOST_CASES
        numbers = isinstance(first, Term) or isinstance(next(iter(choices[0][1].cases)), int)
        if len(choices) == len(pairs) and (several or not numbers):
            return self.choice((v, f.and_(when, inner)) for when, value in choices for v, inner in value.cases.items())
        result = pairs[-1][1]
        for when, value in reversed(pairs[:-1]):
            result = self.ite(when, value, result)
        return result

    # ------------------------------------------------------------ comparing

    def equal(self, left: Sym, right: Sym) -> Term:
        """Equality of two values of one type."""
        f = self.factory
        if left is right:
            return f.true
        if isinstance(left, Choice) and isinstance(right, Choice):
            if left.is_constant or right.is_constant:
                a, b = (left, right) if right.is_constant else (right, left)
                wanted = b.constant
                return self.among(a, lambda value: value == wanted)
            if self.key(left) == self.key(right):
                return f.true
            return f.any_of(f.and_(when, right.cases[v]) for v, when in left.cases.items() if v in right.cases)
        if isinstance(left, Members) and isinstance(right, Members):
            every = dict.fromkeys([*left.cases, *right.cases])
            return f.all_of(f.iff(left.cases.get(v, f.false), right.cases.get(v, f.false)) for v in every)
        if isinstance(left, Members) or isinstance(right, Members):
            raise TypeError("a set is compared with something else")
        return f.eq(self.int_term(left), self.int_term(right))

    def at_most(self, left: Sym, right: Sym) -> Term:
        """`left ≤ right` of numbers."""
        f = self.factory
        if not (isinstance(left, Choice) and isinstance(right, Choice)):
            return f.le(self.int_term(left), self.int_term(right))
        if left.is_constant:
            return self.among(right, lambda v: _int(left.constant) <= _int(v))
        if right.is_constant:
            return self.among(left, lambda v: _int(v) <= _int(right.constant))

        def beside(value: Atom, when: Term) -> Term:
            return f.and_(when, self.among(right, lambda v: _int(value) <= _int(v)))

        return f.any_of(beside(value, when) for value, when in left.cases.items())

    def matches(self, value: Sym, wanted: Sym) -> Term:
        """Equality where none matches nothing."""
        equal = self.equal(value, wanted)
        if isinstance(value, Choice) and None in value.cases and isinstance(wanted, Choice) and None in wanted.cases:
            return self.factory.and_(equal, self.factory.not_(value.cases[None]))
        return equal

    # ------------------------------------------------------------ numbers

    def plus(self, left: Sym, right: Sym, negative: bool = False) -> Sym:
        """`left + right`, or `left - right`."""
        f = self.factory
        if isinstance(left, Choice) and isinstance(right, Choice) and len(left.cases) * len(right.cases) <= MOST_CASES:
            sign = -1 if negative else 1
            return self.choice(
                (_int(a) + sign * _int(b), f.and_(x, y)) for a, x in left.cases.items() for b, y in right.cases.items()
            )
        a, b = self.int_term(left), self.int_term(right)
        return self.number(f.sub(a, b) if negative else f.add(a, b))

    def count(self, terms: Iterable[Term]) -> Sym:
        """How many of the terms are true."""
        return self.number(self.factory.count(terms))

    # ------------------------------------------------------------ sets

    def contains(self, item: Sym, members: Sym) -> Term:
        """The item is an element; none never is."""
        inside, choice = self.as_set(members).cases, self.as_choice(item)
        f = self.factory
        if all(inside[v].is_true for v in choice.cases if v in inside):
            return self.among(choice, lambda v: v is not None and v in inside)
        return f.any_of(f.and_(when, inside[v]) for v, when in choice.cases.items() if v is not None and v in inside)

    def meets(self, left: Sym, right: Sym) -> Term:
        """There is a common element."""
        a, b = self.as_set(left).cases, self.as_set(right).cases
        return self.factory.any_of(self.factory.and_(when, b[v]) for v, when in a.items() if v in b)

    def within(self, left: Sym, right: Sym) -> Term:
        """Every element of `left` is one of `right`."""
        f = self.factory
        a, b = self.as_set(left).cases, self.as_set(right).cases
        return f.all_of(f.implies(when, b.get(v, f.false)) for v, when in a.items())

    def set_of(self, items: Iterable[Sym]) -> Members:
        """The set of the items; none adds nothing."""
        return self.members(
            (v, when) for item in items for v, when in self.as_choice(item).cases.items() if v is not None
        )

    def joined(self, *sets: Sym) -> Members:
        """The union."""
        return self.members((v, when) for s in sets for v, when in self.as_set(s).cases.items())

    def without(self, left: Sym, right: Sym) -> Members:
        """The elements of `left` that aren't in `right`."""
        f = self.factory
        away = self.as_set(right).cases
        return self.members(
            (v, f.and_(when, f.not_(away[v])) if v in away else when) for v, when in self.as_set(left).cases.items()
        )

    def restricted(self, members: Sym, when: Term) -> Members:
        """The set if the condition is true, else the empty one."""
        return self.members((v, self.factory.and_(when, inner)) for v, inner in self.as_set(members).cases.items())


def _int(value: Atom) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is no number")
    return value


def _order(value: Atom) -> tuple[int, str]:
    return (value.index, "") if isinstance(value, Obj) else (-1, str(value))

"""Typed terms, each kept once, from constructors that check sorts and simplify.

Two terms of one factory are equal iff they are the same Python object. `Factory(simplify=False)` builds what it is
told, which the tests hold against the simplified terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

Sort = Literal["Bool", "Int"]
Op = Literal["const", "var", "not", "and", "or", "iff", "ite", "eq", "le", "add", "neg", "at_least"]


class SortError(TypeError):
    """A term of another sort was expected, or a name has two sorts."""


class Term:
    """A term: an operator and its arguments.

    `value` is a constant's value, a variable's name, or the bound of `at_least`. Terms of sort Int know bounds of their
    value. `id` is the number of the term in its factory.
    """

    __slots__ = ("args", "high", "id", "low", "op", "sort", "value")

    def __init__(
        self, id: int, op: Op, sort: Sort, args: tuple[Term, ...], value: bool | int | str | None, low: int, high: int
    ) -> None:
        self.id = id
        self.op = op
        self.sort = sort
        self.args = args
        self.value = value
        self.low = low
        self.high = high

    def __repr__(self) -> str:
        from verify_rules.encode.walks import render

        return render(self)

    @property
    def is_true(self) -> bool:
        """Whether it is the constant true."""
        return self.op == "const" and self.value is True

    @property
    def is_false(self) -> bool:
        """Whether it is the constant false."""
        return self.op == "const" and self.value is False

    @property
    def name(self) -> str:
        """The name of a variable."""
        if self.op != "var":
            raise SortError(f"{self} is no variable")
        return str(self.value)

    @property
    def number(self) -> int:
        """The value of a constant of sort Int, or the bound of `at_least`."""
        if not isinstance(self.value, int):
            raise SortError(f"{self} is no number")
        return self.value


class Factory:
    """Makes terms. `counts` says how many different ones there are by operator, `asked` how many were asked for."""

    def __init__(self, simplify: bool = True) -> None:
        self.simplify = simplify
        self.counts: Counter[Op] = Counter()
        self.asked = 0
        self._table: dict[tuple[object, ...], Term] = {}
        self._variables: dict[str, Term] = {}
        self._exactly: list[tuple[Term, ...]] = []
        self._groups: dict[Term, tuple[Term, ...]] = {}
        self.true = self._make("const", "Bool", (), True)
        self.false = self._make("const", "Bool", (), False)

    def __len__(self) -> int:
        return len(self._table)

    def _make(
        self,
        op: Op,
        sort: Sort,
        args: tuple[Term, ...],
        value: bool | int | str | None = None,
        low: int = 0,
        high: int = 0,
    ) -> Term:
        self.asked += 1
        key = (op, sort, value, *[a.id for a in args])
        term = self._table.get(key)
        if term is None:
            term = Term(len(self._table), op, sort, args, value, low, high)
            self._table[key] = term
            self.counts[op] += 1
        return term

    # ------------------------------------------------------------ leaves

    def boolean(self, value: bool) -> Term:
        """True or false."""
        return self.true if value else self.false

    def integer(self, value: int) -> Term:
        """A number."""
        return self._make("const", "Int", (), int(value), value, value)

    def bool_var(self, name: str) -> Term:
        """The variable of this name."""
        return self._variable(name, "Bool", 0, 0)

    def int_var(self, name: str, low: int, high: int) -> Term:
        """The variable of this name, whose value is from `low` to `high`."""
        return self._variable(name, "Int", low, high)

    def _variable(self, name: str, sort: Sort, low: int, high: int) -> Term:
        known = self._variables.get(name)
        if known is None:
            known = self._variables[name] = self._make("var", sort, (), name, low, high)
        if (known.sort, known.low, known.high) != (sort, low, high):
            raise SortError(f"variable {name} has two sorts")
        return known

    @property
    def variables(self) -> dict[str, Term]:
        """All variables by name, oldest first."""
        return dict(self._variables)

    @property
    def groups(self) -> tuple[tuple[Term, ...], ...]:
        """The groups of variables of which exactly one is true."""
        return tuple(self._exactly)

    # ------------------------------------------------------------ Bool

    def not_(self, term: Term) -> Term:
        """Negation."""
        _check("Bool", term)
        if self.simplify:
            if term.op == "const":
                return self.boolean(not term.value)
            if term.op == "not":
                return term.args[0]
            group = self._groups.get(term)
            if group is not None and len(group) == 2:
                return group[1] if term is group[0] else group[0]
        return self._make("not", "Bool", (term,))

    def and_(self, *terms: Term) -> Term:
        """Conjunction."""
        return self._junction("and", terms)

    def or_(self, *terms: Term) -> Term:
        """Disjunction."""
        return self._junction("or", terms)

    def all_of(self, terms: Iterable[Term]) -> Term:
        """Conjunction of any number."""
        return self._junction("and", tuple(terms))

    def any_of(self, terms: Iterable[Term]) -> Term:
        """Disjunction of any number."""
        return self._junction("or", tuple(terms))

    def implies(self, left: Term, right: Term) -> Term:
        """Implication."""
        return self.or_(self.not_(left), right)

    def _opposite(self, term: Term) -> Term | None:
        """The negation if it exists already."""
        if term.op == "not":
            return term.args[0]
        group = self._groups.get(term)
        if group is not None and len(group) == 2:
            return group[1] if term is group[0] else group[0]
        return self._table.get(("not", "Bool", None, term.id))

    def _junction(self, op: Literal["and", "or"], terms: Sequence[Term]) -> Term:
        _check("Bool", *terms)
        if not self.simplify:
            return self._make(op, "Bool", tuple(terms))
        unit, zero = (self.true, self.false) if op == "and" else (self.false, self.true)
        dual = "or" if op == "and" else "and"
        items = list(terms)
        while True:
            seen: dict[Term, None] = {}
            stack = items[::-1]
            while stack:
                term = stack.pop()
                if term is zero:
                    return zero
                if term is unit or term in seen:
                    continue
                if term.op == op:
                    stack += term.args[::-1]
                    continue
                if term.op == "not" and term.args[0].op == dual:
                    stack += [self.not_(a) for a in term.args[0].args[::-1]]
                    continue
                if self._opposite(term) in seen:
                    return zero
                seen[term] = None
            if not seen:
                return unit
            if len(seen) == 1:
                return next(iter(seen))
            if self._groups and self._grouped(op, seen):
                return zero
            reduced = self._propagated(op, dual, seen)
            if reduced is None:
                break
            items = reduced
        if len(seen) == 1:
            return next(iter(seen))
        return self._make(op, "Bool", tuple(sorted(seen, key=lambda t: t.id)))

    def _grouped(self, op: Literal["and", "or"], seen: dict[Term, None]) -> bool:
        """Use that exactly one of each group is true; whether the junction is its zero. Changes `seen`.

        For `or` read everything negated: “chosen” are then the variables that stand there negated.
        """
        chosen: dict[tuple[Term, ...], list[Term]] = {}
        refused: dict[tuple[Term, ...], list[Term]] = {}
        for term in seen:
            negated = term.op == "not"
            variable = term.args[0] if negated else term
            group = self._groups.get(variable)
            if group is not None:
                (chosen if negated == (op == "or") else refused).setdefault(group, []).append(variable)

        def literal(variable: Term, positive: bool) -> Term:
            return variable if positive == (op == "and") else self.not_(variable)

        for group in {**chosen, **refused}:
            if len(chosen.get(group, ())) > 1:
                return True
            without = refused.get(group, [])
            if group in chosen:
                for variable in without:
                    seen.pop(literal(variable, False), None)
            elif len(without) == len(group):
                return True
            elif len(without) == len(group) - 1:
                for variable in without:
                    seen.pop(literal(variable, False), None)
                seen[literal(next(v for v in group if v not in without), True)] = None
        return False

    def _propagated(self, op: Literal["and", "or"], dual: str, seen: dict[Term, None]) -> list[Term] | None:
        """Absorb and propagate what stands beside; None if there was nothing to do."""
        result: list[Term] = []
        changed = False
        for term in seen:
            if term.op == dual:
                if any(a in seen for a in term.args):
                    changed = True
                    continue
                rest = [a for a in term.args if self._opposite(a) not in seen]
                if len(rest) < len(term.args):
                    changed = True
                    term = self.any_of(rest) if op == "and" else self.all_of(rest)
            elif term.op == "ite":
                c, a, b = term.args
                if c in seen:
                    changed, term = True, a if op == "and" else b
                elif self._opposite(c) in seen:
                    changed, term = True, b if op == "and" else a
            result.append(term)
        return result if changed else None

    def iff(self, left: Term, right: Term) -> Term:
        """Equivalence."""
        _check("Bool", left, right)
        if self.simplify:
            if left is right:
                return self.true
            if self._opposite(left) is right or self._opposite(right) is left:
                return self.false
            for a, b in ((left, right), (right, left)):
                if a.op == "const":
                    return b if a.is_true else self.not_(b)
            if left.op == "not":
                return self.not_(self.iff(left.args[0], right))
            if right.op == "not":
                return self.not_(self.iff(left, right.args[0]))
            if left.id > right.id:
                left, right = right, left
        return self._make("iff", "Bool", (left, right))

    def at_least(self, bound: int, terms: Iterable[Term]) -> Term:
        """At least `bound` of the terms are true; one that stands there twice counts twice."""
        items = list(terms)
        _check("Bool", *items)
        if not self.simplify:
            return self._make("at_least", "Bool", tuple(items), bound)
        counted: Counter[Term] = Counter()
        for term in items:
            opposite = self._opposite(term)
            if term.op == "const":
                bound -= 1 if term.is_true else 0
            elif opposite is not None and counted[opposite]:
                counted[opposite] -= 1
                bound -= 1
            else:
                counted[term] += 1
        rest = sorted(counted.elements(), key=lambda t: t.id)
        if bound <= 0:
            return self.true
        if bound > len(rest):
            return self.false
        if bound == 1:
            return self.any_of(rest)
        if bound == len(rest):
            return self.all_of(rest)
        return self._make("at_least", "Bool", tuple(rest), bound)

    def exactly_one(self, variables: Sequence[Term]) -> Term:
        """The constraint that exactly one of these new variables is true.

        It is used from now on to simplify, so what is built afterwards has its meaning only where the constraint holds.
        """
        _check("Bool", *variables)
        known = {v for group in self._exactly for v in group}
        if any(v.op != "var" or v in known for v in variables) or len(set(variables)) < len(variables):
            raise SortError("a group of exactly one needs variables of its own")
        if len(variables) == 1:
            return variables[0]
        clauses = [self._make("or", "Bool", tuple(variables))]
        for n, left in enumerate(variables):
            for right in variables[n + 1 :]:
                negations = tuple(self._make("not", "Bool", (v,)) for v in (left, right))
                clauses.append(self._make("or", "Bool", negations))
        constraint = self._make("and", "Bool", tuple(clauses))
        group = tuple(variables)
        self._exactly.append(group)
        if self.simplify:
            self._groups.update(dict.fromkeys(group, group))
        return constraint

    # ------------------------------------------------------------ both

    def ite(self, condition: Term, yes: Term, no: Term) -> Term:
        """One of two terms of one sort."""
        _check("Bool", condition)
        _check(yes.sort, no)
        if self.simplify:
            if condition.op == "const":
                return yes if condition.is_true else no
            if condition.op == "not":
                condition, yes, no = condition.args[0], no, yes
            if yes.op == "ite" and yes.args[0] is condition:
                yes = yes.args[1]
            if no.op == "ite" and no.args[0] is condition:
                no = no.args[2]
            if yes is no:
                return yes
            if yes.sort == "Bool":
                return self._bool_ite(condition, yes, no)
        low, high = min(yes.low, no.low), max(yes.high, no.high)
        return self._make("ite", yes.sort, (condition, yes, no), None, low, high)

    def _bool_ite(self, condition: Term, yes: Term, no: Term) -> Term:
        opposite = self._opposite(condition)
        if yes.is_true or yes is condition:
            return self.or_(condition, no)
        if yes.is_false or yes is opposite:
            return self.and_(self.not_(condition), no)
        if no.is_true or no is opposite:
            return self.or_(self.not_(condition), yes)
        if no.is_false or no is condition:
            return self.and_(condition, yes)
        if self._opposite(yes) is no or self._opposite(no) is yes:
            return self.iff(condition, yes)
        return self._make("ite", "Bool", (condition, yes, no))

    # ------------------------------------------------------------ Int

    def neg(self, term: Term) -> Term:
        """The number with the other sign."""
        _check("Int", term)
        if self.simplify:
            if term.op == "const":
                return self.integer(-term.number)
            if term.op == "neg":
                return term.args[0]
            if term.op == "add":
                return self.add(*(self.neg(a) for a in term.args))
        return self._make("neg", "Int", (term,), None, -term.high, -term.low)

    def add(self, *terms: Term) -> Term:
        """The sum."""
        _check("Int", *terms)
        items = list(terms)
        if self.simplify:
            constant = 0
            counted: Counter[Term] = Counter()
            stack = items[::-1]
            while stack:
                term = stack.pop()
                if term.op == "add":
                    stack += term.args[::-1]
                elif term.op == "const":
                    constant += term.number
                else:
                    base, sign = (term.args[0], -1) if term.op == "neg" else (term, 1)
                    counted[base] += sign
            items = []
            for base, times in sorted(counted.items(), key=lambda item: item[0].id):
                items += [base if times > 0 else self.neg(base)] * abs(times)
            if constant or not items:
                items.append(self.integer(constant))
            if len(items) == 1:
                return items[0]
        low, high = sum(t.low for t in items), sum(t.high for t in items)
        return self._make("add", "Int", tuple(items), None, low, high)

    def sub(self, left: Term, right: Term) -> Term:
        """The difference."""
        return self.add(left, self.neg(right))

    def count(self, terms: Iterable[Term]) -> Term:
        """How many of the terms are true."""
        one, zero = self.integer(1), self.integer(0)
        return self.add(*(self.ite(t, one, zero) for t in terms))

    def _units(self, term: Term) -> tuple[int, list[Term]] | None:
        """The term as a constant plus the number of true terms in a list, if it has that form."""
        if term.op == "const":
            return term.number, []
        if term.op == "ite":
            condition, yes, no = term.args
            if yes.op == "const" and no.op == "const":
                if yes.number - no.number == 1:
                    return no.number, [condition]
                if no.number - yes.number == 1:
                    return yes.number, [self.not_(condition)]
        elif term.op == "neg":
            inner = self._units(term.args[0])
            if inner is not None:
                return -inner[0] - len(inner[1]), [self.not_(t) for t in inner[1]]
        elif term.op == "add":
            constant, found = 0, list[Term]()
            for argument in term.args:
                inner = self._units(argument)
                if inner is None:
                    return None
                constant += inner[0]
                found += inner[1]
            return constant, found
        return None

    def _difference(self, left: Term, right: Term) -> tuple[int, list[Term]] | None:
        """`right - left` as in `_units`."""
        a, b = self._units(left), self._units(right)
        if a is None or b is None:
            return None
        return b[0] - a[0] - len(a[1]), b[1] + [self.not_(t) for t in a[1]]

    def le(self, left: Term, right: Term) -> Term:
        """`left ≤ right`."""
        _check("Int", left, right)
        if self.simplify:
            if left is right or left.high <= right.low:
                return self.true
            if left.low > right.high:
                return self.false
            if left.op == "ite" and right.op == "const":
                return self.ite(left.args[0], self.le(left.args[1], right), self.le(left.args[2], right))
            if right.op == "ite" and left.op == "const":
                return self.ite(right.args[0], self.le(left, right.args[1]), self.le(left, right.args[2]))
            form = self._difference(left, right)
            if form is not None:
                return self.at_least(-form[0], form[1])
        return self._make("le", "Bool", (left, right))

    def eq(self, left: Term, right: Term) -> Term:
        """Equality of two terms of one sort."""
        _check(left.sort, right)
        if left.sort == "Bool":
            return self.iff(left, right)
        if self.simplify:
            if left is right:
                return self.true
            if left.high < right.low or right.high < left.low:
                return self.false
            if left.op == "const" and right.op == "const":
                return self.boolean(left.number == right.number)
            if left.op == "const" or (right.op != "const" and left.id > right.id):
                left, right = right, left
            if left.op == "ite" and right.op == "const":
                return self.ite(left.args[0], self.eq(left.args[1], right), self.eq(left.args[2], right))
            form = self._difference(left, right)
            if form is not None:
                bound, units = -form[0], form[1]
                return self.and_(self.at_least(bound, units), self.not_(self.at_least(bound + 1, units)))
        return self._make("eq", "Bool", (left, right))


def _check(sort: Sort, *terms: Term) -> None:
    for term in terms:
        if term.sort != sort:
            raise SortError(f"expected a term of sort {sort}: {term}")

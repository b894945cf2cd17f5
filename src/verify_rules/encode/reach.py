"""Which abilities and effects can be live at all in a state: a quick look that may say too much, never too little.

It follows where values come from and asks no condition, so it needs no status; what it leaves out costs nothing later.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Literal

from verify_rules.encode.board import Board, State
from verify_rules.encode.terms import Term
from verify_rules.model import expr as e
from verify_rules.model.model import Bind, Block, Match, Pattern, StatusClause, Variable, Wild
from verify_rules.model.types import (
    ABILITY,
    Atom,
    BoolType,
    EnumType,
    IntType,
    Obj,
    OptionalType,
    RefType,
    SetType,
    Type,
    UnionType,
    Value,
)

# The values that a name may have; None means any.
Possible = frozenset[Atom] | None
Names = Mapping[str, Possible]
DEEPEST = 40
WIDEST = 2000
What = Literal["ability", "effect"]


class Reach:
    """What can be live in one state: `instances` of a block, each with its holder and the values of its parameters."""

    def __init__(self, board: Board, state: State) -> None:
        self.board = board
        self.state = state
        self._found: dict[What, dict[tuple[Atom, Atom], None]] = {}
        self._instances: dict[str, list[tuple[Atom, Atom, tuple[Value, ...]]]] = {}

    def instances(self, block: Block) -> list[tuple[Atom, Atom, tuple[Value, ...]]]:
        """The holder, the member of Ability or Effect, and the parameters' values of each possible instance."""
        known = self._instances.get(block.id)
        if known is None:
            what: What = "ability" if block.what == "ability" else "effect"
            members = self.board.index.instances.get((what, block.name), {})
            known = [
                (holder, value, members[value])
                for holder, value in self._live(what)
                if value in members and (block.holder is None or self.board.admits(block.holder, holder))
            ]
            holders = {h: n for n, h in enumerate(self.board.values_of(block.holder))} if block.holder else {}
            order = {value: n for n, value in enumerate(members)}
            known.sort(key=lambda i: (holders.get(i[0], 0), order[i[1]]))
            self._instances[block.id] = known
        return known

    def _live(self, what: What) -> dict[tuple[Atom, Atom], None]:
        if what not in self._found:
            self._search()
        return self._found[what]

    def _search(self) -> None:
        """Start with what rules make live, then add what live blocks make live."""
        board = self.board
        self._found = {"ability": {}, "effect": {}}
        queue: list[tuple[What, Atom, Atom]] = []

        def add(clause: StatusClause, env: Names) -> None:
            status = board.model.statuses[clause.status]
            what: What = "ability" if status.parameters[-1].type == EnumType(ABILITY) else "effect"
            every = everything[status.name]
            for holder in board.values_of(status.parameters[0].type):
                values = self._given(clause, holder, env)
                for value in sorted(every if values is None else values & every, key=str):
                    if (holder, value) not in self._found[what]:
                        self._found[what][holder, value] = None
                        queue.append((what, holder, value))

        live = [s for names in board.index.live.values() for s in names]
        everything = {n: frozenset(board.values_of(board.model.statuses[n].parameters[-1].type)) for n in live}
        for name in live:
            for clause in board.index.clauses.get((name, False), ()):
                if board.model.blocks[clause.block].what == "rule":
                    add(clause, {})
        while queue:
            what, holder, value = queue.pop()
            name = board.constructor(value)
            for block in board.index.blocks.get((what, name), ()):
                if block.holder is not None and not board.admits(block.holder, holder):
                    continue
                values = board.index.instances[what, name][value]
                env: dict[str, Possible] = {"self": frozenset({holder})}
                for parameter, argument in zip(block.parameters, values, strict=True):
                    env[parameter.name] = None if isinstance(argument, frozenset) else frozenset({argument})
                for clause in board.index.clauses_in.get(block.id, ()):
                    if clause.status in live and not clause.negative:
                        add(clause, env)

    def _given(self, clause: StatusClause, holder: Atom, env: Names) -> Possible:
        """The last arguments for which a clause of a live status may say that it holds of the holder."""
        names = dict(env)
        for number, pattern in enumerate(clause.patterns[:-1]):
            if number == 0 and not self._allows(pattern, holder, names):
                return frozenset()
            if isinstance(pattern, Bind):
                names[pattern.name] = frozenset({holder}) if number == 0 else None
        last = clause.patterns[-1]
        match last:
            case Wild():
                return None
            case Match(value):
                return self.values(value, names)
            case Bind(name):
                if clause.condition is None:
                    return None
                names[name] = None
                return self.support(clause.condition, name, names)

    def _allows(self, pattern: Pattern, value: Atom, names: Names) -> bool:
        match pattern:
            case Wild():
                return True
            case Bind(_, _, only):
                return only is None or self.board.is_of(value, only)
            case Match(wanted):
                possible = self.values(wanted, names)
                return possible is None or value in possible

    def support(self, condition: e.Expr, name: str, names: Names, depth: int = 0) -> Possible:
        """The values of `name` for which the condition may be true."""
        if depth > DEEPEST:
            return None

        def inner(part: e.Expr, names: Names = names, name: str = name) -> Possible:
            return self.support(part, name, names, depth + 1)

        match condition:
            case e.Const(False):
                return frozenset()
            case e.And(items):
                found = [s for s in map(inner, items) if s is not None]
                return frozenset.intersection(*found) if found else None
            case e.Or(items):
                return _union(inner(item) for item in items)
            case e.IfElse(_, yes, no):
                return _union((inner(yes), inner(no)))
            case e.In(e.Local(n), members) if n == name:
                return self.values(members, names)
            case e.Equal(e.Local(n), other) | e.Equal(other, e.Local(n)) if n == name:
                return self.values(other, names)
            case e.Some(bound, body) if bound.name != name:
                return inner(body, {**names, bound.name: self._domain(bound, names)})
            case e.DefineIs(define, arguments):
                target = self.board.model.defines[define]
                at = [n for n, a in enumerate(arguments) if isinstance(a, e.Local) and a.name == name]
                if not at:
                    return None
                inside = {p.name: self.values(a, names) for p, a in zip(target.parameters, arguments, strict=False)}
                return inner(target.body, inside, target.parameters[at[0]].name)
            case e.StatusIs(status, arguments):
                at = [n for n, a in enumerate(arguments) if isinstance(a, e.Local) and a.name == name]
                if not at:
                    return None
                return self._status_support(status, arguments, at[0], names, depth)
            case _:
                return None

    def _status_support(
        self, status: str, arguments: tuple[e.Expr, ...], at: int, names: Names, depth: int
    ) -> Possible:
        found: list[Possible] = []
        for clause in self.board.index.clauses.get((status, False), ()):
            if self.board.model.blocks[clause.block].what != "rule":
                return None
            inside: dict[str, Possible] = {}
            for pattern, argument in zip(clause.patterns, arguments, strict=True):
                if isinstance(pattern, Bind):
                    inside[pattern.name] = self.values(argument, names, depth + 1)
            pattern = clause.patterns[at]
            if isinstance(pattern, Match):
                found.append(self.values(pattern.value, inside, depth + 1))
            elif isinstance(pattern, Wild) or clause.condition is None:
                return None
            else:
                found.append(self.support(clause.condition, pattern.name, inside, depth + 1))
        return _union(found)

    def _domain(self, bound: e.Bound, names: Names) -> Possible:
        if bound.domain is not None:
            return self.values(bound.domain, names)
        return self._every(bound.type)

    def _every(self, type: Type) -> Possible:
        match type:
            case BoolType() | EnumType() | RefType() | UnionType() | OptionalType():
                return frozenset(self.board.values_of(type))
            case SetType(inner):
                return frozenset(self.board.values_of(inner))
            case IntType(low, high) if high - low < WIDEST:
                return frozenset(range(low, high + 1))
            case _:
                return None

    def values(self, expr: e.Expr, names: Names, depth: int = 0) -> Possible:
        """The values that a formula may have; of a set, its possible elements."""
        if depth > DEEPEST:
            return None

        def inner(part: e.Expr, names: Names = names) -> Possible:
            return self.values(part, names, depth + 1)

        match expr:
            case e.Const(value):
                return value if isinstance(value, frozenset) else frozenset({value})
            case e.Local(name):
                return names.get(name)
            case e.Get(variable, owner, index):
                owners = None if owner is None else inner(owner)
                indexes = [inner(i) for i in index]
                return self._stored(self.board.model.variables[variable], owner is None, owners, indexes)
            case e.ReadingValue(reading):
                return frozenset(self.board.symbolic.as_choice(self.board.readings[reading]).cases)
            case e.Construct(member, arguments, type):
                parts = [inner(a) for a in arguments]
                if any(p is None for p in parts):
                    return _union((self._every(type), frozenset({None})))
                combinations = itertools.product(*(p for p in parts if p is not None))
                return frozenset(self.board.constructed(member, args, type.name) for args in combinations)
            case e.DefineIs(define, arguments):
                target = self.board.model.defines[define]
                return inner(
                    target.body, {p.name: inner(a) for p, a in zip(target.parameters, arguments, strict=False)}
                )
            case e.SetOf(items):
                found = _union(inner(item) for item in items)
                return None if found is None else found - {None}
            case e.Joined(left, right):
                return _union((inner(left), inner(right)))
            case e.Without(left):
                return inner(left)
            case e.IfElse(_, yes, no):
                return _union((inner(yes), inner(no)))
            case e.UnionOver(bound, body):
                return inner(body, {**names, bound.name: self._domain(bound, names)})
            case _:
                return self._every(expr.type) if isinstance(expr.type, BoolType) else None

    def _stored(self, variable: Variable, is_global: bool, owners: Possible, indexes: list[Possible]) -> Possible:
        board = self.board
        found: set[Atom] = set()
        values = board.fixed if variable.fixed else self.state.values
        chosen: tuple[Atom, ...] = (None,) if is_global else board.objects if owners is None else tuple(owners)
        nothing = variable.null if isinstance(variable.null, frozenset) else frozenset({variable.null})
        if not is_global and (owners is None or any(not isinstance(o, Obj) for o in owners)):
            found |= nothing
        for owner in chosen:
            if not is_global and not isinstance(owner, Obj):
                continue
            for key in board.indexes(variable):
                if any(p is not None and k not in p for p, k in zip(indexes, key, strict=True)):
                    continue
                value = values[variable.name, owner if isinstance(owner, Obj) else None, key]
                if isinstance(value, Term):
                    return self._every(variable.type)
                found |= set(value.cases)
        if any(p is None or None in p for p in indexes):
            found |= nothing
        return frozenset(found)


def _union(parts: Iterable[Possible]) -> Possible:
    found: set[Atom] = set()
    for part in parts:
        if part is None:
            return None
        found |= part
    return frozenset(found)

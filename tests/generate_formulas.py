"""Random rulebooks and boards for the laws: well-typed and stratified by construction, in a toy vocabulary.

Everything is decided by one function, `below(n)`: a number from 0 to n - 1, where 0 always is the plainest choice. A
`random.Random` gives it to the soak, hypothesis to the tests (so its shrinking means something: a smaller number is a
plainer rulebook, where one seed would shrink to another seed), a list of numbers replays a case.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Literal, TypeVar

from verify_rules.model.types import (
    ABILITY,
    BOOL,
    EFFECT,
    BoolType,
    EnumType,
    IntType,
    OptionalType,
    RefType,
    SetType,
    Type,
    UnionType,
    strip,
)
from verify_rules.parse import tree as t

T = TypeVar("T")

KIND = "Thing"
REF = RefType(KIND)
OLD, TODAY, LATER = date(2020, 1, 1), date(2024, 1, 1), date(2026, 1, 1)


class Dice:
    """Choices; 0 is the plainest of each."""

    def __init__(self, below: Callable[[int], int]) -> None:
        self._below = below

    def below(self, n: int) -> int:
        """A number from 0 to n - 1."""
        return self._below(n) if n > 1 else 0

    def between(self, low: int, high: int) -> int:
        """A number from `low` to `high`."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        """True so often; the plain choice is False."""
        return self.below(100) >= 100 - percent

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def weighted(self, options: Sequence[tuple[int, T]]) -> T:
        """One of the items, as often as its weight says."""
        at = self.below(sum(weight for weight, _ in options))
        for weight, item in options:
            if at < weight:
                return item
            at -= weight
        raise AssertionError

    def some(self, items: Sequence[T], least: int, most: int) -> list[T]:
        """Different items, in their order."""
        wanted = self.between(min(least, len(items)), min(most, len(items)))
        left = list(range(len(items)))
        chosen = sorted(left.pop(self.below(len(left))) for _ in range(wanted))
        return [items[i] for i in chosen]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """The items in any order."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(len(left))]


# ---------------------------------------------------------------- what there is


@dataclass(frozen=True)
class Var:
    """A field or a global variable."""

    name: str
    type: Type
    index: tuple[str, ...] = ()
    of_kind: bool = True
    fixed: bool = False


@dataclass(frozen=True)
class Signature:
    """A status, definition, event or action, or a block with parameters.

    `rank`: what reads it has a higher one. `level`: of what asks for verdicts, likewise (0: asks for none).
    """

    name: str
    parameters: tuple[t.Parameter, ...]
    types: tuple[Type, ...]
    result: Type = BOOL
    rank: int = 0
    level: int = 0
    action: bool = False


@dataclass(frozen=True)
class Carrier:
    """An ability or effect block: its header."""

    what: Literal["ability", "effect"]
    name: str
    parameters: tuple[t.Parameter, ...]
    types: tuple[Type, ...]
    holder: str | None = None
    taker: bool = False

    @property
    def enum(self) -> str:
        """The enumeration that it is in."""
        return ABILITY if self.what == "ability" else EFFECT


@dataclass
class World:
    """The declarations that formulas may use. Members with parameters have these as enumerations."""

    enums: dict[str, dict[str, tuple[Type, ...]]] = field(default_factory=dict)
    unions: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)
    variables: list[Var] = field(default_factory=list)
    readings: dict[str, list[str]] = field(default_factory=dict)
    defines: list[Signature] = field(default_factory=list)
    statuses: list[Signature] = field(default_factory=list)
    live: dict[str, str] = field(default_factory=dict)
    carriers: list[Carrier] = field(default_factory=list)
    ranks: dict[tuple[str, str], int] = field(default_factory=dict)
    events: list[Signature] = field(default_factory=list)
    citables: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    triggering: list[tuple[str, Carrier | None, str]] = field(default_factory=list)
    """What triggers on what: the name of the block, the block if it is none of a rule, the event."""
    askable: set[str] = field(default_factory=set)
    """The events all of whose formulas ask for lower ones alone, so that one may ask what triggers on them."""
    strengths: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)

    @property
    def top(self) -> int:
        """The rank that may read every status."""
        return len(self.ranks) + len(self.statuses)

    def block_ranks(self, enum: str) -> list[int]:
        """The ranks of an enumeration's blocks."""
        return [rank for (of, _), rank in self.ranks.items() if of == enum]

    def named(self, name: str) -> Type:
        """The type of this name."""
        return REF if name == KIND else UnionType(name) if name in self.unions else EnumType(name)

    def fits(self, have: Type, want: Type) -> bool:
        """Whether a value may stand where another type is wanted."""
        if have == want or (isinstance(have, IntType) and isinstance(want, IntType)):
            return True
        if isinstance(want, OptionalType) or isinstance(have, OptionalType):
            return self.fits(strip(have), strip(want))
        if isinstance(want, UnionType) and isinstance(have, RefType | EnumType):
            return have.name in self.unions[want.name][0]
        return False


@dataclass(frozen=True)
class Scope:
    """What a formula may use: names (and expressions known to be of a type), statuses below `ceiling`, events below
    `level`."""

    atoms: tuple[tuple[t.Expr, Type], ...] = ()
    ceiling: int = 0
    level: int = 0

    def bind(self, name: str, type: Type) -> Scope:
        """With one more name; what mentions another of this name is gone."""
        kept = tuple((e, y) for e, y in self.atoms if name not in mentioned(e))
        return replace(self, atoms=(*kept, (t.Name(name), type)))

    def knowing(self, expr: t.Expr, type: Type) -> Scope:
        """With an expression known to be of this type."""
        return replace(self, atoms=(*((e, y) for e, y in self.atoms if e != expr), (expr, type)))

    def without(self, name: str) -> Scope:
        """Without a name."""
        return replace(self, atoms=tuple((e, y) for e, y in self.atoms if name not in mentioned(e)))


def mentioned(expr: t.Expr) -> set[str]:
    """The names in a path."""
    match expr:
        case t.Name(name):
            return {name}
        case t.Access(base, _):
            return mentioned(base)
        case t.Index(base, index):
            return mentioned(base) | mentioned(index)
        case t.Call(_, arguments):
            return {name for a in arguments if a.value is not None for name in mentioned(a.value)}
        case _:
            return set()


def type_tree(type: Type, index: Sequence[str] = ()) -> t.TypeExpr:
    """A type as it is written."""
    result: t.TypeExpr
    match type:
        case IntType(low, high):
            result = t.TypeInt(low, high)
        case EnumType(name) | RefType(name) | UnionType(name):
            result = t.TypeName(name)
        case OptionalType(inner):
            result = t.TypeOptional(inner.name)
        case SetType(element):
            result = t.TypeSet(element.name)
        case _:
            result = t.TypeBool()
    for name in reversed(index):
        result = t.TypePer(name, result)
    return result


def parameter(name: str, type: Type, default: t.Expr | None = None) -> t.Parameter:
    """A parameter; one of the kind needs no type."""
    return t.Parameter(name, None if type == REF and default is None else type_tree(type), default)


NONE = t.Name("none")


# ---------------------------------------------------------------- formulas


class Formulas:
    """Well-typed expressions over a world."""

    def __init__(self, dice: Dice, world: World) -> None:
        self.dice = dice
        self.world = world

    # ------------------------------------------------------------ paths: what has a type of its own

    def paths(self, scope: Scope, wanted: Callable[[Type], bool]) -> list[tuple[t.Expr, Type]]:
        """Names, fields of these, and global variables (without their indices) of a wanted type."""
        found = [(e, y) for e, y in scope.atoms if wanted(y)]
        known = [e for e, _ in scope.atoms]
        things = [e for e, y in scope.atoms if strip(y) == REF]
        things += [
            t.Name(v.name) for v in self.world.variables if not v.of_kind and strip(v.type) == REF and not v.index
        ]
        for variable in self.world.variables:
            if not wanted(variable.type):
                continue
            if variable.of_kind:
                found += [(t.Access(e, variable.name), variable.type) for e in things]
            else:
                found.append((t.Name(variable.name), variable.type))
        return [(e, y) for e, y in found if e not in known or (e, y) in scope.atoms]

    def path(self, scope: Scope, wanted: Callable[[Type], bool], depth: int) -> tuple[t.Expr, Type] | None:
        """A path of a wanted type, sometimes through a reference; with its indices."""
        found = self.paths(scope, wanted)
        if depth > 0 and self.dice.chance(15):
            through = self.paths(scope, lambda y: y == OptionalType(REF))
            fields = [v for v in self.world.variables if v.of_kind and wanted(v.type)]
            if through and fields:
                base, _ = self.dice.pick(through)
                field = self.dice.pick(fields)
                found = [(t.Access(self.indexed(base, scope), field.name), field.type)]
        if depth < 0:
            # Within an index: no further ones.
            found = [(e, y) for e, y in found if not self.index_of(e)]
        if not found:
            return None
        expr, type = self.dice.pick(found)
        return self.indexed(expr, scope), type

    def indexed(self, expr: t.Expr, scope: Scope) -> t.Expr:
        """The path with the indices that its variable needs."""
        for enum in () if any(e == expr for e, _ in scope.atoms) else self.index_of(expr):
            expr = t.Index(expr, self.of(EnumType(enum), scope, -1))
        return expr

    def index_of(self, expr: t.Expr) -> tuple[str, ...]:
        """The enumerations of the indices that a path needs."""
        name = expr.name if isinstance(expr, t.Access | t.Name) else ""
        return next((v.index for v in self.world.variables if v.name == name), ())

    # ------------------------------------------------------------ any type

    def of(self, type: Type, scope: Scope, depth: int) -> t.Expr:
        """An expression that may stand where the type is wanted."""
        match type:
            case BoolType():
                return self.truth(scope, depth)
            case SetType(element):
                return self.set_of(element, scope, depth)
            case IntType():
                return self.number(type, scope, depth)
            case OptionalType(inner):
                if self.dice.chance(25):
                    return NONE
                return self._single(inner, scope, depth)
            case EnumType() | RefType() | UnionType():
                return self._single(type, scope, depth)
            case _:
                raise AssertionError(type)

    def constant(self, type: Type, scope: Scope, depth: int = 0) -> t.Expr | None:
        """A constant, if the type has one."""
        match type:
            case EnumType(name):
                return self.member(name, scope, depth)
            case UnionType(name):
                types, atoms = self.world.unions[name]
                enums = [x for x in types if x != KIND and self.world.enums[x]]
                options: list[t.Expr] = [t.Name(a) for a in atoms]
                if enums and (not options or self.dice.chance(50)):
                    return self.member(self.dice.pick(enums), scope, depth)
                return self.dice.pick(options) if options else None
            case _:
                return None

    def member(self, enum: str, scope: Scope, depth: int = 0) -> t.Expr | None:
        """A member of an enumeration, its parameters filled in."""
        table = self.world.enums[enum]
        names = list(table)
        if not names:
            return None
        name = self.dice.pick(names)
        if not table[name]:
            return t.Name(name)
        arguments = [self.of(y, scope, min(depth, 0)) for y in table[name]]
        return t.Call(name, tuple(t.Argument(a) for a in arguments))

    def _single(self, type: EnumType | RefType | UnionType, scope: Scope, depth: int) -> t.Expr:
        dice = self.dice
        constant = self.constant(type, scope, depth) if type != REF else None
        if constant is not None and dice.chance(45):
            return constant
        if depth > 0 and dice.chance(8):
            # The first branch has just the type, so that both have one type in common.
            yes = self.path(scope, lambda y: strip(y) == type, 0)
            if yes is not None:
                return t.IfElse(self.truth(scope, depth - 1), yes[0], self._single(type, scope, depth - 1))
        found = self.path(scope, lambda y: self.world.fits(y, type), depth)
        calls = self.defines(scope, lambda y: self.world.fits(y, type)) if depth > 0 else []
        if calls and dice.chance(15):
            return self.define_call(dice.pick(calls), scope, depth)
        if found is not None:
            return found[0]
        # Of the kind there always is a path: the global variable `focus`.
        assert constant is not None, type
        return constant

    def plain(self, type: Type) -> t.Expr:
        """A value that is known without any board."""
        dice = self.dice
        match type:
            case BoolType():
                return t.Name(dice.pick(("true", "false")))
            case IntType(low, high):
                return t.Number(dice.between(low, min(high, low + 3)))
            case OptionalType() if dice.chance(25):
                return NONE
            case SetType(element):
                return t.SetLiteral(tuple(self.plain(element) for _ in range(dice.below(3))))
            case _:
                simple: Any = strip(type)
                table = self.world.enums[simple.name]
                name = dice.pick(list(table))
                if not table[name]:
                    return t.Name(name)
                return t.Call(name, tuple(t.Argument(self.plain(y)) for y in table[name]))

    def number(self, type: IntType, scope: Scope, depth: int) -> t.Expr:
        """A number; a constant one is in the type's range."""
        dice = self.dice
        constant = t.Number(dice.between(type.low, min(type.high, type.low + 3)))
        found = self.path(scope, lambda y: isinstance(y, IntType), depth)
        choice = dice.weighted([(40, "constant"), (25, "path"), (20, "sum"), (8, "count"), (5, "if"), (5, "define")])
        if choice == "count" and depth > 0:
            return self.count(scope, depth)
        if choice == "if" and depth > 0:
            yes, no = self.number(type, scope, depth - 1), self.number(type, scope, depth - 1)
            return t.IfElse(self.truth(scope, depth - 1), yes, no)
        if choice == "define" and depth > 0:
            calls = self.defines(scope, lambda y: isinstance(y, IntType))
            if calls:
                return self.define_call(dice.pick(calls), scope, depth)
        if found is None or choice == "constant":
            return constant
        if choice == "sum":
            other = self.number(IntType(0, 2), scope, depth - 1) if depth > 1 else t.Number(dice.between(1, 2))
            return t.Binary(dice.pick(("+", "-")), found[0], other)
        return found[0]

    def set_of(self, element: EnumType | RefType | UnionType, scope: Scope, depth: int) -> t.Expr:
        """A set."""
        dice = self.dice
        same = self.path(scope, lambda y: y == SetType(element), depth)
        choice = dice.weighted([(30, "literal"), (30, "path"), (20, "sum"), (7, "union"), (5, "if"), (4, "define")])
        if choice == "union" and depth > 0:
            binder, inner = self.binder(scope, depth)
            return t.Quantified("union", binder, self.set_of(element, inner, depth - 1))
        if choice == "if" and depth > 0:
            yes, no = self.set_of(element, scope, depth - 1), self.set_of(element, scope, depth - 1)
            return t.IfElse(self.truth(scope, depth - 1), yes, no)
        if choice == "define" and depth > 0:
            calls = self.defines(scope, lambda y: y == SetType(element))
            if calls:
                return self.define_call(dice.pick(calls), scope, depth)
        if same is not None and choice in ("path", "union", "if", "define"):
            return same[0]
        if same is not None and choice == "sum":
            right = self._single(element, scope, 0) if dice.chance(50) else self.set_of(element, scope, depth - 1)
            return t.Binary(dice.pick(("+", "-")), same[0], right)
        items = [self._single(element, scope, 0) for _ in range(dice.below(3))]
        return t.SetLiteral(tuple(items))

    # ------------------------------------------------------------ truth values

    def truth(self, scope: Scope, depth: int) -> t.Expr:
        """A formula."""
        dice = self.dice
        options: list[tuple[int, Callable[[], t.Expr | None]]] = [
            (30, lambda: self.comparison(scope, depth)),
            (12, lambda: _first(self.path(scope, lambda y: y == BOOL, depth))),
            (14, lambda: self.status(scope, depth)),
            (5, lambda: self.reading()),
            (6, lambda: self.contains(scope)),
            (7, lambda: self.truth_of_define(scope, depth)),
            (5, lambda: self.narrowing(scope, depth)),
        ]
        if scope.level:
            options.append((12, lambda: self.verdict(scope, depth)))
        if depth > 0:
            options += [
                (9, lambda: t.Negation(self.truth(scope, depth - 1))),
                (16, lambda: self.chain(scope, depth)),
                (10, lambda: self.quantified(scope, depth)),
                (3, lambda: t.IfElse(*(self.truth(scope, depth - 1) for _ in range(3)))),
            ]
        for _ in range(4):
            found = dice.weighted(options)()
            if found is not None:
                return found
        return t.Name(dice.pick(("true", "true", "false")))

    def likely(self, scope: Scope, depth: int) -> t.Expr:
        """A formula that is true more often than not."""
        first = self.truth(scope, depth)
        match self.dice.below(4):
            case 0:
                return first
            case 1:
                return t.Negation(t.Chain("and", (first, self.truth(scope, depth))))
            case 2:
                return t.Chain("implies", (first, self.truth(scope, depth)))
            case _:
                return t.Chain("or", (first, t.Negation(self.truth(scope, depth)), self.truth(scope, 0)))

    def chain(self, scope: Scope, depth: int) -> t.Expr:
        """`and`, `or`, `implies`, `iff`."""
        dice = self.dice
        word: Any = dice.weighted([(40, "and"), (40, "or"), (10, "implies"), (10, "iff")])
        size = 3 if word in ("and", "or", "iff") and dice.chance(20) else 2
        return t.Chain(word, tuple(self.truth(scope, depth - 1) for _ in range(size)))

    def comparison(self, scope: Scope, depth: int) -> t.Expr | None:
        """A comparison whose left (or right) side has a type of its own."""
        dice = self.dice
        found = self.path(scope, lambda y: y != BOOL, depth)
        if found is None:
            return None
        left, type = found
        equals: Any = dice.pick(("=", "≠"))
        match type:
            case IntType():
                operator: Any = dice.pick(("=", "≤", "≥", "<", ">", "≠"))
                return t.Binary(operator, left, self.number(type, scope, depth - 1))
            case SetType(element):
                match dice.below(5):
                    case 0 | 1:
                        return t.Binary("in", self._single(element, scope, depth - 1), left)
                    case 2:
                        return t.Binary("meets", left, self.set_of(element, scope, depth - 1))
                    case 3:
                        return t.Binary("within", left, self.set_of(element, scope, depth - 1))
                    case _:
                        return t.Binary(equals, left, self.set_of(element, scope, depth - 1))
            case EnumType() | RefType() | UnionType() | OptionalType():
                simple: Any = strip(type)
                if dice.chance(15):
                    items = tuple(self._single(simple, scope, 0) for _ in range(dice.between(1, 2)))
                    return t.Binary("in", left, t.SetLiteral(items))
                return t.Binary(equals, left, self.of(type, scope, depth - 1))
            case _:
                return None

    def statuses(self, scope: Scope) -> list[Signature]:
        """The statuses that the scope may read, those that enliven blocks included if any of their blocks may."""
        found = [s for s in self.world.statuses if s.name not in self.world.live and s.rank < scope.ceiling]
        for name, enum in self.world.live.items():
            if any(rank < scope.ceiling for rank in self.world.block_ranks(enum)):
                found += [s for s in self.world.statuses if s.name == name] * 2
        return found

    def status(self, scope: Scope, depth: int) -> t.Expr | None:
        """A status of something."""
        statuses = self.statuses(scope)
        if not statuses:
            return None
        status = self.dice.pick(statuses)
        arguments: list[t.Expr] = []
        for type in status.types:
            if status.name in self.world.live and type == status.types[-1]:
                arguments.append(self.block_value(self.world.live[status.name], scope))
            else:
                arguments.append(self.of(type, scope, 0))
        if len(arguments) == 1 and status.types[0] == REF and arguments[0] != NONE and self.dice.chance(50):
            return t.Access(arguments[0], status.name)
        return t.Call(status.name, tuple(t.Argument(a) for a in arguments))

    def block_value(self, enum: str, scope: Scope) -> t.Expr:
        """An ability (effect) whose being live may be read here."""
        ranks = self.world.block_ranks(enum)
        if max(ranks) < scope.ceiling and self.dice.chance(30):
            found = self.path(scope, lambda y: strip(y) == EnumType(enum), 0)
            if found is not None:
                return found[0]
        names = [name for (of, name), rank in self.world.ranks.items() if of == enum and rank < scope.ceiling]
        return self.instance(enum, self.dice.pick(names), scope)

    def instance(self, enum: str, name: str, scope: Scope) -> t.Expr:
        """The ability (effect) of this name, its parameters filled in."""
        types = self.world.enums[enum][name]
        if not types:
            return t.Name(name)
        return t.Call(name, tuple(t.Argument(self.small(y, scope)) for y in types))

    def small(self, type: Type, scope: Scope) -> t.Expr:
        """A value of an enumeration or a small number within its range."""
        if isinstance(type, IntType):
            same = [e for e, y in scope.atoms if y == type]
            if same and self.dice.chance(40):
                return self.dice.pick(same)
            return t.Number(self.dice.between(type.low, type.high))
        return self.of(type, scope, 0)

    def reading(self) -> t.Expr | None:
        """A test of an open point."""
        readings = self.world.readings
        if not readings:
            return None
        name = self.dice.pick(list(readings))
        return t.Binary(self.dice.pick(("=", "≠")), t.Name(name), t.Name(self.dice.pick(readings[name])))

    def contains(self, scope: Scope) -> t.Expr | None:
        """`A forbids action`."""
        actions = [e.name for e in self.world.events if e.action]
        found = self.path(scope, lambda y: strip(y) in (EnumType(ABILITY), EnumType(EFFECT)), 0)
        if not actions or found is None:
            return None
        return t.Contains(found[0], self.dice.pick(("forbids", "permits")), self.dice.pick(actions))

    def defines(self, scope: Scope, wanted: Callable[[Type], bool]) -> list[Signature]:
        """The definitions that the scope may use."""
        return [
            d for d in self.world.defines if d.rank <= scope.ceiling and d.level <= scope.level and wanted(d.result)
        ]

    def truth_of_define(self, scope: Scope, depth: int) -> t.Expr | None:
        """A definition that is a formula."""
        found = self.defines(scope, lambda y: y == BOOL)
        return self.define_call(self.dice.pick(found), scope, depth) if found else None

    def define_call(self, define: Signature, scope: Scope, depth: int) -> t.Expr:
        """A definition with arguments."""
        if not define.types:
            return t.Name(define.name)
        arguments = self.arguments(define, scope, 0)
        return t.Call(define.name, arguments)

    def arguments(self, about: Signature, scope: Scope, depth: int, wild: int = 0) -> tuple[t.Argument, ...]:
        """Arguments; so many percent wildcards; defaults sometimes left out, labels sometimes given."""
        found: list[t.Argument] = []
        for i, (node, type) in enumerate(zip(about.parameters, about.types, strict=True)):
            last = i == len(about.types) - 1
            if last and node.default is not None and self.dice.chance(40):
                continue
            label = node.name if last and self.dice.chance(10) else None
            if wild and self.dice.chance(wild):
                found.append(t.Argument(None))
            elif isinstance(type, IntType):
                found.append(t.Argument(self.number(type, scope, depth), label))
            else:
                found.append(t.Argument(self.of(type, scope, depth), label))
        return tuple(found)

    def narrowing(self, scope: Scope, depth: int) -> t.Expr | None:
        """`x is Y`, and what may then be said."""
        dice = self.dice
        found = self.path(scope, lambda y: isinstance(strip(y), UnionType), 0)
        if found is None:
            return None
        expr, type = found
        union: Any = strip(type)
        types, atoms = self.world.unions[union.name]
        part = dice.pick((*types, *atoms))
        test = t.IsA(expr, part)
        if part in atoms or depth == 0 or isinstance(expr, t.Index):
            return test
        body = self.truth(scope.knowing(expr, self.world.named(part)), depth - 1)
        return t.Chain(dice.pick(("and", "implies")), (test, body))

    # ------------------------------------------------------------ quantifiers

    def binder(self, scope: Scope, depth: int) -> tuple[t.Binder, Scope]:
        """A bound name, sometimes one that hides another, over a type or a set."""
        dice = self.dice
        taken = {e.name for e, _ in scope.atoms if isinstance(e, t.Name)}
        fresh = [f"q{i}" for i in range(1, 5) if f"q{i}" not in taken]
        hidden = [name for name in sorted(taken) if len(name) < 3]
        name = dice.pick(hidden) if hidden and dice.chance(6) else dice.pick(fresh[:1] or ["q1"])
        domain = self.path(scope, lambda y: isinstance(y, SetType), 0) if dice.chance(30) else None
        if domain is not None:
            element: Any = domain[1]
            return t.Binder(name, None, domain[0]), scope.bind(name, element.element)
        enums = [e for e, table in self.world.enums.items() if table and e not in (ABILITY, EFFECT)]
        over = dice.weighted([(60, [KIND]), (20, enums), (15, list(self.world.unions)), (5, [KIND])]) or [KIND]
        type_name = dice.pick(over)
        return t.Binder(name, type_name), scope.bind(name, self.world.named(type_name))

    def quantified(self, scope: Scope, depth: int) -> t.Expr:
        """`some`, `all`, or a comparison of a count."""
        if self.dice.chance(20):
            operator: Any = self.dice.pick(("≥", "=", "<"))
            return t.Binary(operator, self.count(scope, depth), t.Number(self.dice.between(1, 2)))
        binder, inner = self.binder(scope, depth)
        return t.Quantified(self.dice.pick(("some", "all")), binder, self.truth(inner, depth - 1))

    def count(self, scope: Scope, depth: int) -> t.Expr:
        """`count(x: T. F)`."""
        binder, inner = self.binder(scope, depth)
        return t.Quantified("count", binder, self.truth(inner, depth - 1))

    # ------------------------------------------------------------ verdicts

    def verdict(self, scope: Scope, depth: int) -> t.Expr | None:
        """A question about an action or event below the scope's level."""
        dice = self.dice
        events = [e for e in self.world.events if e.level < scope.level]
        if dice.chance(18):
            triggers = self.triggers(events, scope)
            if triggers is not None:
                return triggers
        actions = [e for e in events if e.action]
        if actions and not dice.chance(20):
            action = dice.pick(actions)
            modality: Any = dice.weighted(
                [
                    (25, "can"),
                    (10, "cannot"),
                    (20, "must"),
                    (8, "need not"),
                    (20, "forbidden"),
                    (8, "not permitted"),
                    (9, "barred"),
                ]
            )
            call = t.Call(action.name, self.arguments(action, scope, 0, wild=35))
            return t.Verdict(modality, call, self.by() if modality in ("forbidden", "barred") else None)
        if not events:
            return None
        event = dice.pick(events)
        word: Any = dice.pick(("possible", "impossible"))
        call = t.Call(event.name, self.arguments(event, scope, 0))
        return t.Verdict(word, call, self.by() if word == "impossible" else None)

    def triggers(self, events: Sequence[Signature], scope: Scope) -> t.Expr | None:
        """Whether something triggers on one of the events; mostly something that says so of some event."""
        dice, world = self.dice, self.world
        # Only behind all events, in a script, any of them may be asked about.
        asked = [e for e in events if e.name in world.askable or scope.level > len(world.events)]
        if not asked:
            return None
        known = [x for x in world.triggering if x[2] in {e.name for e in asked}]
        if known and not dice.chance(10):
            name, carrier, on = dice.pick(known)
            event = next(e for e in asked if e.name == on)
        else:
            carrier = dice.pick(world.carriers)
            name, event = carrier.name, dice.pick(asked)
        whose: t.Expr | None = None
        if carrier is not None and dice.chance(40):
            whose = self.of(world.named(carrier.holder or KIND), scope, 0)
        return t.Triggers(t.Name(name), whose, t.Call(event.name, self.arguments(event, scope, 0)))

    def by(self) -> t.Name | t.Citation | None:
        """`by R`, sometimes."""
        dice = self.dice
        names = [*self.world.rules, *dict.fromkeys(c.name for c in self.world.carriers), *self.world.groups]
        if dice.chance(40) and names:
            return t.Name(dice.pick(names))
        if dice.chance(15) and self.world.citables:
            return t.Citation("BOOK", dice.pick(self.world.citables))
        return None


def _first(found: tuple[t.Expr, Type] | None) -> t.Expr | None:
    return None if found is None else found[0]


def product_of(counts: Iterable[int]) -> int:
    """The product."""
    return next(reversed(list(itertools.accumulate(counts, lambda a, b: a * b, initial=1))))

"""Formulas as Python closures: `fn(moment, env)` is the value of the formula at the moment, `env` its local names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import TYPE_CHECKING, Any

from verify_rules.model.expr import (
    All,
    And,
    Ask,
    AtMost,
    Bound,
    Const,
    Construct,
    Contains,
    Count,
    DefineIs,
    Equal,
    Expr,
    Get,
    Happens,
    IfElse,
    In,
    IsOf,
    Joined,
    Local,
    Meets,
    Not,
    Or,
    ReadingValue,
    SetOf,
    Some,
    StatusIs,
    Sum,
    Triggers,
    UnionOver,
    Within,
    Without,
)
from verify_rules.model.model import Model, Wild
from verify_rules.model.types import EFFECT, EnumType, Obj, RefType, UnionType, Value, strip

if TYPE_CHECKING:
    from verify_rules.semantics.moment import Moment

Env = dict[str, Value]
# What comes out has the type of the formula, which was checked when the model was built.
Fn = Callable[["Moment", Env], Any]

WILD = Wild()


def in_order(values: Iterable[Any]) -> list[Any]:
    """The elements of a set in an order that doesn't depend on hashes."""
    return sorted(values, key=lambda v: (0, v.index, "") if isinstance(v, Obj) else (1, 0, str(v)))


class Formulas:
    """The formulas of a model, each compiled once."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.members = {name: tuple(o.name for o in reading.options) for name, reading in model.readings.items()}
        self.members |= {name: tuple(m.value for m in members) for name, members in model.enums.items()}
        # The formula is kept with its closure so that its id isn't given to another one.
        self._compiled: dict[int, tuple[Expr, Fn]] = {}

    def compile(self, expr: Expr) -> Fn:
        """The closure of a formula."""
        found = self._compiled.get(id(expr))
        if found is None:
            found = self._compiled[id(expr)] = (expr, self._compile(expr))
        return found[1]

    def optional(self, expr: Expr | None) -> Fn | None:
        """The closure of a formula that may be missing."""
        return None if expr is None else self.compile(expr)

    def tuple(self, exprs: tuple[Expr | None, ...]) -> Fn:
        """The closure of several formulas at once; a missing one is a wildcard."""
        fns = tuple((lambda m, env: WILD) if e is None else self.compile(e) for e in exprs)
        if len(fns) == 1:
            one = fns[0]
            return lambda m, env: (one(m, env),)
        if len(fns) == 2:
            first, second = fns
            return lambda m, env: (first(m, env), second(m, env))
        return lambda m, env: tuple([fn(m, env) for fn in fns])

    def is_of(self, member: str) -> Callable[[Value], bool]:
        """Whether a value of a union is an object, a member of an enumeration, or the constant of this name."""
        if member == self.model.kind:
            return lambda value: isinstance(value, Obj)
        if member in self.members:
            members = frozenset(self.members[member])
            return lambda value: value in members
        return lambda value: value == member

    def _compile(self, expr: Expr) -> Fn:
        compile = self.compile
        match expr:
            case Const(value):
                return lambda m, env: value
            case Local(name):
                return lambda m, env: env[name]
            case Get():
                return self._get(expr)
            case ReadingValue(reading):
                return lambda m, env: m.readings[reading]
            case Construct(member, arguments, type):
                return self._construct(member, self.tuple(arguments), self.members[type.name])
            case StatusIs(status, arguments):
                args = self.tuple(arguments)
                return lambda m, env: m.status(status, args(m, env))
            case DefineIs(define, arguments):
                return self._define(define, self.tuple(arguments))
            case Not(body):
                fn = compile(body)
                return lambda m, env: not fn(m, env)
            case And(items):
                return _every([compile(i) for i in items])
            case Or(items):
                return _any([compile(i) for i in items])
            case Equal(left, Const(value)):
                a = compile(left)
                return lambda m, env: a(m, env) == value
            case Equal(left, right):
                a, b = compile(left), compile(right)
                return lambda m, env: a(m, env) == b(m, env)
            case AtMost(left, right):
                a, b = compile(left), compile(right)
                return lambda m, env: a(m, env) <= b(m, env)
            case In(left, right):
                a, b = compile(left), compile(right)
                return lambda m, env: a(m, env) in b(m, env)
            case Meets(left, right):
                a, b = compile(left), compile(right)
                return lambda m, env: not a(m, env).isdisjoint(b(m, env))
            case Within(left, right):
                a, b = compile(left), compile(right)
                return lambda m, env: a(m, env) <= b(m, env)
            case SetOf(items):
                args = self.tuple(items)
                return lambda m, env: frozenset([v for v in args(m, env) if v is not None])
            case Joined(left, right):
                a, b = compile(left), compile(right)
                return lambda m, env: a(m, env) | b(m, env)
            case Without(left, right):
                a, b = compile(left), compile(right)
                return lambda m, env: a(m, env) - b(m, env)
            case Sum(left, right, negative):
                a, b = compile(left), compile(right)
                if negative:
                    return lambda m, env: a(m, env) - b(m, env)
                return lambda m, env: a(m, env) + b(m, env)
            case IfElse(condition, yes, no):
                fn, a, b = compile(condition), compile(yes), compile(no)
                return lambda m, env: a(m, env) if fn(m, env) else b(m, env)
            case Some(bound, body):
                return self._search(bound, compile(body), True)
            case All(bound, body):
                return self._search(bound, compile(body), False)
            case Count(bound, body):
                each = self._each(bound, compile(body))
                return lambda m, env: sum(each(m, env))
            case UnionOver(bound, body):
                each = self._each(bound, compile(body))
                return lambda m, env: frozenset().union(*each(m, env))
            case IsOf(body, member):
                fn, test = compile(body), self.is_of(member)
                return lambda m, env: test(fn(m, env))
            case Contains():
                fn, values = compile(expr.body), self._containing(expr)
                return lambda m, env: fn(m, env) in values
            case Ask(modality, action, wild_arguments, by):
                args = self.tuple(wild_arguments)
                return lambda m, env: m.ask(modality, action, args(m, env), by)
            case Happens(event, arguments, positive, by):
                args = self.tuple(arguments)
                return lambda m, env: m.happens(event, args(m, env), positive, by)
            case Triggers(by, carrier, event, arguments):
                args, whose, blocks = self.tuple(arguments), self.optional(carrier), by.blocks
                if whose is None:
                    return lambda m, env: m.triggers(event, args(m, env), blocks, WILD)
                return lambda m, env: m.triggers(event, args(m, env), blocks, whose(m, env))

    def _get(self, expr: Get) -> Fn:
        variable = self.model.variables[expr.variable]
        name, default, null = variable.name, variable.default, variable.null
        if expr.index:
            owner = self.optional(expr.owner)
            index = self.tuple(expr.index)
            allowed = frozenset(product(*(self.members[enum] for enum in variable.index)))

            def get_at(m: Moment, env: Env) -> Any:
                of = owner(m, env) if owner is not None else None
                at = index(m, env)
                if at not in allowed or (owner is not None and not isinstance(of, Obj)):
                    return null
                return m.tables[name].get((of, *at), default)

            return get_at
        if expr.owner is None:
            return lambda m, env: m.tables[name].get((None,), default)
        if isinstance(expr.owner, Local):
            local = expr.owner.name

            def get_of_local(m: Moment, env: Env) -> Any:
                of = env[local]
                return m.tables[name].get((of,), default) if isinstance(of, Obj) else null

            return get_of_local
        of_what = self.compile(expr.owner)

        def get(m: Moment, env: Env) -> Any:
            of = of_what(m, env)
            return m.tables[name].get((of,), default) if isinstance(of, Obj) else null

        return get

    def _construct(self, member: str, arguments: Fn, members: Iterable[str]) -> Fn:
        known = frozenset(members)

        def construct(m: Moment, env: Env) -> Any:
            value = f"{member}({', '.join(map(str, arguments(m, env)))})"
            return value if value in known else None

        return construct

    def _define(self, name: str, arguments: Fn) -> Fn:
        names = [p.name for p in self.model.defines[name].parameters]
        body: Fn | None = None

        def define(m: Moment, env: Env) -> Any:
            nonlocal body
            args = arguments(m, env)
            key = (name, args)
            if key in m.defined:
                return m.defined[key]
            if body is None:
                body = self.compile(self.model.defines[name].body)
            value = m.defined[key] = body(m, dict(zip(names, args, strict=True)))
            return value

        return define

    def _values(self, bound: Bound) -> Callable[[Moment, Env], Iterable[Value]]:
        """All values of a bound variable, in order."""
        type = bound.type
        if bound.domain is not None:
            domain = self.compile(bound.domain)
            return lambda m, env: in_order(domain(m, env))
        match type:
            case RefType():
                return lambda m, env: m.board.objects
            case EnumType(name):
                members = self.members[name]
                return lambda m, env: members
            case UnionType():
                return lambda m, env: m.board.candidates(type)

    def _search(self, bound: Bound, body: Fn, wanted: bool) -> Fn:
        """Whether the body is true (of `all`: false) for some value of the bound variable."""
        name, values = bound.name, self._values(bound)

        def search(m: Moment, env: Env) -> bool:
            inner = env.copy()
            for value in values(m, env):
                inner[name] = value
                if body(m, inner) == wanted:
                    return wanted
            return not wanted

        return search

    def _each(self, bound: Bound, body: Fn) -> Callable[[Moment, Env], Iterable[Any]]:
        """The body's value for every value of the bound variable, one after the other."""
        name, values = bound.name, self._values(bound)

        def each(m: Moment, env: Env) -> Iterable[Any]:
            inner = env.copy()
            for value in values(m, env):
                inner[name] = value
                yield body(m, inner)

        return each

    def _containing(self, expr: Contains) -> frozenset[str]:
        """The abilities (or effects) in whose block there is such a norm."""
        type = strip(expr.body.type)
        enum = type.name if isinstance(type, EnumType) else ""
        what = "effect" if enum == EFFECT else "ability"
        words = {"forbid", "price"} if expr.word == "forbid" else {expr.word}
        blocks = {
            self.model.blocks[norm.block].name
            for norms in self.model.norms.values()
            for norm in norms
            if norm.action == expr.action and norm.word in words and self.model.blocks[norm.block].what == what
        }
        return frozenset(m.value for m in self.model.enums.get(enum, ()) if m.name in blocks)


def _every(fns: list[Fn]) -> Fn:
    if len(fns) == 2:
        first, second = fns
        return lambda m, env: first(m, env) and second(m, env)

    def every(m: Moment, env: Env) -> bool:
        for fn in fns:  # noqa: SIM110 - a generator here doubles the time of a verdict
            if not fn(m, env):
                return False
        return True

    return every


def _any(fns: list[Fn]) -> Fn:
    if len(fns) == 2:
        first, second = fns
        return lambda m, env: first(m, env) or second(m, env)

    def some(m: Moment, env: Env) -> bool:
        for fn in fns:  # noqa: SIM110 - as above
            if fn(m, env):
                return True
        return False

    return some

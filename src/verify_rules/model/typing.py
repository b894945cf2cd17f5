"""Formulas: names resolved, types checked. Syntax tree → typed formula."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, cast

from verify_rules.diagnostics import Related, Reporter, suggestion
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.names import Names
from verify_rules.model.types import (
    ABILITY,
    BOOL,
    EFFECT,
    NONE,
    BoolType,
    EnumType,
    IntType,
    NoneType,
    Obj,
    OptionalType,
    PerType,
    RefType,
    SetType,
    Type,
    UnionType,
    Value,
    strip,
)
from verify_rules.parse import tree as t
from verify_rules.source import Span


class Faulty(Exception):
    """A formula with an error that has been reported."""


@dataclass(frozen=True)
class Scope:
    """What a formula may use: local names, the cards of a scenario, and what is known of types here.

    `verdicts` says why verdicts can't be asked for, and is empty where they can.
    """

    locals: Mapping[str, Type] = field(default_factory=dict)
    objects: Mapping[str, Obj] = field(default_factory=dict)
    known: Mapping[e.Expr, Type] = field(default_factory=dict)
    verdicts: str = ""

    def bind(self, name: str, type: Type) -> Scope:
        """The scope with one more local name."""
        known = {x: y for x, y in self.known.items() if not _mentions(x, name)}
        return replace(self, locals={**self.locals, name: type}, known=known)

    def learn(self, facts: Mapping[e.Expr, Type]) -> Scope:
        """The scope in which these expressions are known to be of these types."""
        return replace(self, known={**self.known, **facts}) if facts else self


def _mentions(expr: e.Expr, name: str) -> bool:
    return any(isinstance(x, e.Local) and x.name == name for x in e.walk(expr))


class Typer:
    """Resolves formulas against tables of names; errors go to the reporter, `Faulty` ends the formula."""

    def __init__(
        self, names: Names, reporter: Reporter, define: Callable[[str], m.Define | None] | None = None
    ) -> None:
        self.names = names
        self.reporter = reporter
        self._define = define or names.defines.get
        self.define_names: Iterable[str] = names.defines

    # ------------------------------------------------------------ errors

    def fail(self, code: str, message: str, span: Span, help: str = "", related: Iterable[Related] = ()) -> NoReturn:
        """Report an error and give the formula up."""
        self.reporter.report(code, message, span, help, related)
        raise Faulty

    def unknown(self, code: str, what: str, name: str, span: Span, known: Iterable[str], help: str = "") -> NoReturn:
        """Report an unknown name, with the nearest known one."""
        hint = suggestion(name, known)
        self.fail(code, f"there is no {what} called `{name}`", span, hint or help)

    # ------------------------------------------------------------ entry points

    def formula(self, node: t.Expr, scope: Scope) -> e.Expr:
        """A truth value."""
        return self.expect(node, scope, BOOL)

    def expect(self, node: t.Expr, scope: Scope, want: Type) -> e.Expr:
        """An expression of the wanted type."""
        return self.fit(self.expression(node, scope, want), want)

    def fit(self, expr: e.Expr, want: Type) -> e.Expr:
        """`expr`, made to fit the wanted type: one element stands for the set of it."""
        if isinstance(want, SetType) and not isinstance(expr.type, SetType | PerType | NoneType):
            if self.names.fits(expr.type, want.element):
                return e.SetOf((expr,), want, span=expr.span)
        elif isinstance(want, SetType) and isinstance(expr, e.SetOf) and not expr.items:
            return replace(expr, type=want)
        elif self.names.fits(expr.type, want):
            return expr
        if isinstance(want, SetType) and self.names.fits(expr.type, want):
            return expr
        if isinstance(strip(expr.type), UnionType) and isinstance(strip(want), RefType | EnumType):
            name = cast(Any, strip(want)).name
            if isinstance(expr, e.Const):
                self.fail("wrong-type", f"`{expr.value}` is no {name}", expr.span)
            self.fail(
                "not-narrowed",
                f"this is a {strip(expr.type)}, which need not be a {name}",
                expr.span,
                f"Say that it is one before: `… is {name} and …`.",
            )
        self.fail("wrong-type", f"this is {_a(expr.type)}, but {_a(want)} is needed here", expr.span)

    # ------------------------------------------------------------ expressions

    def expression(self, node: t.Expr, scope: Scope, want: Type | None = None) -> e.Expr:
        """An expression of any type; `want` is only a hint for names that several enumerations share."""
        match node:
            case t.Name():
                return self._known(self._name(node, scope, want), scope)
            case t.Number(value):
                return e.Const(value, IntType(value, value), span=node.span)
            case t.SetLiteral():
                return self._set(node, scope, want)
            case t.Call():
                return self._call(node, scope, want)
            case t.Access():
                return self._known(self._access(node, scope), scope)
            case t.Index():
                return self._known(self._index(node, scope), scope)
            case t.Negation(body):
                return e.Not(self.formula(body, scope), span=node.span)
            case t.Chain():
                return self._chain(node, scope)
            case t.Binary():
                return self._binary(node, scope, want)
            case t.IsA():
                return self._is_a(node, scope)
            case t.Contains():
                return self._contains(node, scope)
            case t.IfElse():
                return self._if_else(node, scope, want)
            case t.Quantified():
                return self._quantified(node, scope, want)
            case t.Verdict():
                return self._verdict(node, scope)

    def _known(self, expr: e.Expr, scope: Scope) -> e.Expr:
        type = scope.known.get(expr)
        if type is not None and isinstance(expr, e.Local | e.Get):
            return replace(expr, type=type)
        return expr

    def _name(self, node: t.Name, scope: Scope, want: Type | None) -> e.Expr:
        name, span, names = node.name, node.span, self.names
        if name in scope.locals:
            return e.Local(name, scope.locals[name], span=span)
        if name in scope.objects:
            return e.Const(scope.objects[name], RefType(names.kind), span=span)
        if name in ("true", "false"):
            return e.Const(name == "true", BOOL, span=span)
        if name == "none":
            return e.Const(None, NONE, span=span)
        if name == "self":
            self.fail("no-self", "`self` is the carrier of an ability or effect; there is none here", span)
        if want is not None and name in names.members(want):
            return e.Const(name, names.members(want)[name], span=span)
        if name in names.readings:
            return e.ReadingValue(name, EnumType(name), span=span)
        if name in names.variables:
            variable = names.variables[name]
            if variable.of_kind:
                self.fail(
                    "unknown-name",
                    f"`{name}` is a field: it has no value without a {names.kind}",
                    span,
                    f"Say whose: `c.{name}`.",
                )
            return e.Get(name, None, (), variable.full_type, span=span)
        define = self._define(name) if name in self.define_names else None
        if define is not None:
            if define.parameters:
                count = len(define.parameters)
                self.fail("wrong-arity", f"`{name}` needs {count} argument{'s' * (count > 1)}", span)
            return e.DefineIs(name, (), define.body.type, span=span)
        homes: dict[str, Type] = {}
        for enum in names.enums:
            homes |= {enum: EnumType(enum)} if name in names.members(EnumType(enum)) else {}
        for union in names.unions.values():
            homes |= {union.name: UnionType(union.name)} if name in union.atoms else {}
        if len(homes) == 1 or (homes and all(isinstance(x, UnionType) for x in homes.values())):
            return e.Const(name, next(iter(homes.values())), span=span)
        if homes:
            self.fail(
                "unknown-name",
                f"`{name}` may be of {' or '.join(sorted(homes))} here",
                span,
                "Compare it with something of the one type that you mean.",
            )
        if want is not None and names.constructor(name, want):
            self.fail("wrong-arity", f"`{name}` needs arguments", span)
        here = names.members(want) if want is not None else {}
        hint = suggestion(name, here) or suggestion(name, [*scope.locals, *scope.objects, *names.everything()])
        self.fail("unknown-name", f"nothing is called `{name}` here", span, hint)

    def _set(self, node: t.SetLiteral, scope: Scope, want: Type | None) -> e.Expr:
        hint = strip(want) if want is not None else None
        element: Type | None = hint.element if isinstance(hint, SetType) else None
        items: list[e.Expr] = []
        for item in node.items:
            expr = self.expression(item, scope, element)
            if element is None:
                element = strip(expr.type)
            items.append(self.fit(expr, OptionalType(cast(Any, element))))
        if element is None:
            element = RefType(self.names.kind)
        if not isinstance(element, EnumType | RefType | UnionType):
            self.fail("wrong-type", f"a set can't have elements of type {element}", node.span)
        set_type = SetType(element)
        if all(isinstance(x, e.Const) for x in items):
            values = [cast(e.Const, x).value for x in items]
            return e.Const(frozenset(cast(Any, v) for v in values if v is not None), set_type, span=node.span)
        return e.SetOf(tuple(items), set_type, span=node.span)

    def _call(self, node: t.Call, scope: Scope, want: Type | None) -> e.Expr:
        name, names = node.name, self.names
        if name in names.statuses:
            status = names.statuses[name]
            return e.StatusIs(name, self.arguments(node, status.parameters, scope), span=node.span)
        define = self._define(name) if name in self.define_names else None
        if define is not None:
            arguments = self.arguments(node, define.parameters, scope)
            return e.DefineIs(name, arguments, define.body.type, span=node.span)
        home = names.constructor(name, want)
        if home is not None:
            enum, types = home
            parameters = tuple(m.Parameter(f"{i}", type) for i, type in enumerate(types, start=1))
            return self.construct(name, enum, self.arguments(node, parameters, scope), node.span)
        if name in names.events:
            word = "can" if names.events[name].action else "possible"
            self.fail(
                "wrong-type",
                f"`{name}` is something that happens, and neither true nor false",
                node.span,
                f"Ask for it with a word before it: `{word} {name}(…)`.",
            )
        known = [
            *names.statuses,
            *self.define_names,
            *names.events,
            *(x for y in names.constructors.values() for x in y),
        ]
        self.unknown("unknown-name", "status or definition", name, node.span, known)

    def construct(self, name: str, enum: str, arguments: Sequence[e.Expr], span: Span) -> e.Expr:
        """The member `name(arguments)` of an enumeration."""
        if all(isinstance(a, e.Const) for a in arguments):
            value = f"{name}({', '.join(str(cast(e.Const, a).value) for a in arguments)})"
            if value not in self.names.enums[enum]:
                self.fail("out-of-range", f"there is no `{value}`", span)
            return e.Const(value, EnumType(enum), span=span)
        return e.Construct(name, tuple(arguments), EnumType(enum), span=span)

    def _access(self, node: t.Access, scope: Scope) -> e.Expr:
        base = self.expression(node.base, scope)
        name, names = node.name, self.names
        variable = names.variables.get(name)
        if variable is not None and variable.of_kind:
            if isinstance(strip(base.type), RefType):
                return e.Get(name, base, (), variable.full_type, span=node.span)
            if isinstance(strip(base.type), UnionType):
                self.fit(base, RefType(names.kind))
            self.fail(
                "wrong-type", f"`{name}` is a field of a {names.kind}, and this is {_a(base.type)}", node.base.span
            )
        status = names.statuses.get(name)
        if status is not None and len(status.parameters) == 1:
            return e.StatusIs(name, (self.fit(base, status.parameters[0].type),), span=node.span)
        define = self._define(name) if name in self.define_names else None
        if define is not None and len(define.parameters) == 1:
            argument = self.fit(base, define.parameters[0].type)
            return e.DefineIs(name, (argument,), define.body.type, span=node.span)
        known = [v.name for v in names.variables.values() if v.of_kind]
        known += [s.name for s in names.statuses.values() if len(s.parameters) == 1]
        self.unknown("unknown-field", f"field of a {names.kind}", name, node.span, [*known, *self.define_names])

    def _index(self, node: t.Index, scope: Scope) -> e.Expr:
        base = self.expression(node.base, scope)
        if not isinstance(base, e.Get) or not isinstance(base.type, PerType):
            self.fail("wrong-type", "only a variable declared with `per` has an index", node.span)
        index = self.expect(node.index, scope, base.type.index)
        return replace(base, index=(*base.index, index), type=base.type.value, span=node.span)

    def _chain(self, node: t.Chain, scope: Scope) -> e.Expr:
        items: list[e.Expr] = []
        failed = False
        here = scope
        for item in node.items:
            try:
                expr = self.formula(item, here)
            except Faulty:
                failed = True
                continue
            items.append(expr)
            if node.word in ("and", "implies"):
                here = here.learn(when_true(expr, self.names))
            elif node.word == "or":
                here = here.learn(when_false(expr, self.names))
        if failed:
            raise Faulty
        match node.word:
            case "and":
                return e.And(tuple(items), span=node.span)
            case "or":
                return e.Or(tuple(items), span=node.span)
            case "implies":
                return e.Or((e.Not(items[0], span=items[0].span), items[1]), span=node.span)
            case "iff":
                pairs = [e.Equal(a, b, span=node.span) for a, b in itertools.pairwise(items)]
                return pairs[0] if len(pairs) == 1 else e.And(tuple(pairs), span=node.span)

    def _literal(self, node: t.Expr, scope: Scope) -> bool:
        """Whether the type of `node` is best told by what it is compared with."""
        match node:
            case t.Name(name):
                if name == "none":
                    return True
                settled = (*scope.locals, *scope.objects, "true", "false", *self.names.readings, *self.names.variables)
                return name not in settled and name not in self.define_names
            case t.SetLiteral():
                return True
            case t.Call(name):
                return name not in self.names.statuses and name not in self.define_names
            case _:
                return False

    def _sides(self, node: t.Binary, scope: Scope) -> tuple[e.Expr, e.Expr]:
        """Both sides, the more telling one first, so that its type helps with the other."""
        if self._literal(node.left, scope) and not self._literal(node.right, scope):
            right = self.expression(node.right, scope)
            return self.expression(node.left, scope, right.type), right
        left = self.expression(node.left, scope)
        return left, self.expression(node.right, scope, left.type)

    def _binary(self, node: t.Binary, scope: Scope, want: Type | None) -> e.Expr:
        span = node.span
        match node.operator:
            case "+" | "-":
                return self._sum(node, scope, want)
            case "in":
                return self._in(node, scope)
            case "meets" | "within":
                left, right = self._sides(node, scope)
                for side, word in ((left, "left"), (right, "right")):
                    if not isinstance(side.type, SetType):
                        message = f"`{node.operator}` needs a set on its {word}, and this is {_a(side.type)}"
                        self.fail("wrong-type", message, side.span)
                left, right = self._same(left, right)
                return (e.Meets if node.operator == "meets" else e.Within)(left, right, span=span)
            case "=" | "≠":
                left, right = self._sides(node, scope)
                left, right = self._same(left, right)
                equal = e.Equal(left, right, span=span)
                return equal if node.operator == "=" else e.Not(equal, span=span)
            case "<" | ">" | "≤" | "≥":
                left, right = self._sides(node, scope)
                for side in (left, right):
                    if not isinstance(side.type, IntType):
                        self.fail(
                            "wrong-type", f"`{node.operator}` compares numbers, and this is {_a(side.type)}", side.span
                        )
                if node.operator in ("≤", "≥"):
                    pair = (left, right) if node.operator == "≤" else (right, left)
                    return e.AtMost(*pair, span=span)
                pair = (right, left) if node.operator == "<" else (left, right)
                return e.Not(e.AtMost(*pair, span=span), span=span)

    def _in(self, node: t.Binary, scope: Scope) -> e.Expr:
        if isinstance(node.right, t.SetLiteral) and not self._literal(node.left, scope):
            left = self.expression(node.left, scope)
            right = self.expect(node.right, scope, _set_of(left.type))
            return e.In(left, right, span=node.span)
        right = self.expression(node.right, scope)
        if not isinstance(right.type, SetType):
            self.fail("wrong-type", f"`in` needs a set on its right, and this is {_a(right.type)}", right.span)
        element = right.type.element
        left = self.expression(node.left, scope, element)
        # A value of another part of a union is in no such set: no error, it is just false.
        if not isinstance(strip(left.type), UnionType) or isinstance(element, UnionType):
            left = self.fit(left, OptionalType(element))
        return e.In(left, right, span=node.span)

    def _same(self, left: e.Expr, right: e.Expr) -> tuple[e.Expr, e.Expr]:
        """Both sides as values of one type."""
        a, b = left.type, right.type
        if isinstance(a, SetType) and not isinstance(b, SetType):
            return left, self.fit(right, a)
        if isinstance(b, SetType) and not isinstance(a, SetType):
            return self.fit(left, b), right
        fits = self.names.fits
        empty = e.Const(frozenset(), a)
        both_sets = isinstance(a, SetType) and isinstance(b, SetType)
        if both_sets and (left == empty or right == e.Const(frozenset(), b)):
            return left, right
        if fits(a, b) or fits(b, a) or fits(strip(a), strip(b)) or fits(strip(b), strip(a)):
            return left, right
        if isinstance(a, NoneType) or isinstance(b, NoneType):
            other = right if isinstance(a, NoneType) else left
            self.fail("wrong-type", f"this is {_a(other.type)}, which is never none", other.span)
        self.fail("wrong-type", f"this is {_a(b)}, but {_a(a)} is needed here", right.span)

    def _sum(self, node: t.Binary, scope: Scope, want: Type | None) -> e.Expr:
        negative = node.operator == "-"
        hint = want if isinstance(want, SetType) else None
        if self._literal(node.left, scope) and not self._literal(node.right, scope):
            right = self.expression(node.right, scope, hint)
            left = self.expression(node.left, scope, right.type)
        else:
            left = self.expression(node.left, scope, hint)
            right = self.expression(node.right, scope, left.type)
        if isinstance(left.type, IntType) and isinstance(right.type, IntType):
            low, high = (right.type.high, right.type.low) if negative else (right.type.low, right.type.high)
            sign = -1 if negative else 1
            result = IntType(left.type.low + sign * low, left.type.high + sign * high)
            if isinstance(left, e.Const) and isinstance(right, e.Const):
                number = cast(int, left.value) + sign * cast(int, right.value)
                return e.Const(number, IntType(number, number), span=node.span)
            return e.Sum(left, right, negative, result, span=node.span)
        set_type = next((x.type for x in (left, right) if isinstance(x.type, SetType)), None)
        if set_type is None and hint is not None:
            set_type = hint
        if set_type is None:
            self.fail("wrong-type", f"`{node.operator}` needs numbers or sets, and this is {_a(left.type)}", left.span)
        left, right = self.fit(left, set_type), self.fit(right, set_type)
        return (e.Without if negative else e.Joined)(left, right, set_type, span=node.span)

    def _is_a(self, node: t.IsA, scope: Scope) -> e.Expr:
        body = self.expression(node.body, scope)
        type = strip(body.type)
        parts: list[str]
        if isinstance(type, UnionType):
            union = self.names.unions[type.name]
            parts = [*union.types, *union.atoms]
        elif isinstance(type, EnumType | RefType):
            parts = [type.name]
        else:
            self.fail(
                "wrong-type", f"`is` asks which part of a union something is, and this is {_a(type)}", node.body.span
            )
        if node.type_name not in parts:
            self.unknown("unknown-type", f"part of {type}", node.type_name, node.span, parts)
        return e.IsOf(body, node.type_name, span=node.span)

    def _contains(self, node: t.Contains, scope: Scope) -> e.Expr:
        body = self.expression(node.body, scope, EnumType(ABILITY))
        if strip(body.type) not in (EnumType(ABILITY), EnumType(EFFECT)):
            self.fail(
                "wrong-type", f"`{node.word}` asks about an ability or effect, and this is {_a(body.type)}", body.span
            )
        self.action(node.action, node.span)
        return e.Contains(body, "forbid" if node.word == "forbids" else "permit", node.action, span=node.span)

    def action(self, name: str, span: Span) -> m.Event:
        """The action of this name."""
        event = self.names.events.get(name)
        if event is None or not event.action:
            actions = [x.name for x in self.names.events.values() if x.action]
            if event is not None:
                self.fail("unknown-action", f"`{name}` is an event, not an action: no norm speaks about it", span)
            self.unknown("unknown-action", "action", name, span, actions)
        return event

    def _if_else(self, node: t.IfElse, scope: Scope, want: Type | None) -> e.Expr:
        condition = self.formula(node.condition, scope)
        true_scope = scope.learn(when_true(condition, self.names))
        false_scope = scope.learn(when_false(condition, self.names))
        if self._literal(node.yes, scope) and not self._literal(node.no, scope):
            no = self.expression(node.no, false_scope, want)
            yes = self.expression(node.yes, true_scope, want or no.type)
        else:
            yes = self.expression(node.yes, true_scope, want)
            no = self.expression(node.no, false_scope, want or yes.type)
        if isinstance(want, SetType):
            yes, no = self.fit(yes, want), self.fit(no, want)
        type = self._join(yes.type, no.type)
        if type is None:
            self.fail("wrong-type", f"one branch is {_a(yes.type)}, the other {_a(no.type)}", node.span)
        return e.IfElse(condition, yes, no, type, span=node.span)

    def _join(self, a: Type, b: Type) -> Type | None:
        if isinstance(a, IntType) and isinstance(b, IntType):
            return IntType(min(a.low, b.low), max(a.high, b.high))
        if a == b:
            return a
        optional = isinstance(a, OptionalType | NoneType) or isinstance(b, OptionalType | NoneType)
        a, b = strip(a), strip(b)
        if isinstance(a, NoneType):
            inner: Type = b
        elif isinstance(b, NoneType) or self.names.fits(b, a):
            inner = a
        elif self.names.fits(a, b):
            inner = b
        else:
            return None
        if optional and isinstance(inner, EnumType | RefType | UnionType):
            return OptionalType(inner)
        return inner

    def _bound(self, binder: t.Binder, scope: Scope) -> tuple[e.Bound, Scope]:
        if binder.domain is not None:
            domain = self.expression(binder.domain, scope)
            if not isinstance(domain.type, SetType):
                self.fail("wrong-type", f"`in` needs a set, and this is {_a(domain.type)}", domain.span)
            element = domain.type.element
            bound = e.Bound(binder.name, cast(Any, element), domain, span=binder.span)
            return bound, scope.bind(binder.name, element)
        name = cast(str, binder.type_name)
        type = self.names.named_type(name)
        if type is None:
            self.unknown("unknown-type", "type", name, binder.span, self.names.type_names())
        bound = e.Bound(binder.name, cast(Any, type), None, span=binder.span)
        return bound, scope.bind(binder.name, type)

    def _quantified(self, node: t.Quantified, scope: Scope, want: Type | None) -> e.Expr:
        bound, inner = self._bound(node.binder, scope)
        match node.word:
            case "some":
                return e.Some(bound, self.formula(node.body, inner), span=node.span)
            case "all":
                return e.All(bound, self.formula(node.body, inner), span=node.span)
            case "count":
                return e.Count(bound, self.formula(node.body, inner), IntType(0, 1 << 16), span=node.span)
            case "union":
                body = self.expression(node.body, inner, want)
                if not isinstance(body.type, SetType) and isinstance(strip(body.type), EnumType | RefType | UnionType):
                    body = e.SetOf((body,), SetType(cast(Any, strip(body.type))), span=body.span)
                if not isinstance(body.type, SetType):
                    self.fail("wrong-type", f"`union` joins sets, and this is {_a(body.type)}", body.span)
                return e.UnionOver(bound, body, body.type, span=node.span)

    # ------------------------------------------------------------ questions about verdicts

    def _verdict(self, node: t.Verdict, scope: Scope) -> e.Expr:
        if scope.verdicts:
            self.fail("asks-verdict", f"a verdict can't be asked for here: {scope.verdicts}", node.span)
        by = None if node.by is None else self.decider(node.by)
        modality = node.modality
        if modality in ("possible", "impossible"):
            event = self.event(node.call)
            arguments = self.arguments(node.call, event.parameters, scope)
            return e.Happens(event.name, arguments, modality == "possible", by, span=node.span)
        event = self.action(node.call.name, node.call.span)
        pattern = self.arguments(node.call, event.parameters, scope, wild=True)
        return e.Ask(cast(e.Modality, modality), event.name, pattern, by, span=node.span)

    def event(self, call: t.Call) -> m.Event:
        """The event or action that is called."""
        event = self.names.events.get(call.name)
        if event is None:
            self.unknown("unknown-event", "event", call.name, call.span, self.names.events)
        return event

    def decider(self, node: t.Name | t.Citation) -> e.By:
        """The blocks that `by R` means."""
        blocks = self.names.blocks.values()
        if isinstance(node, t.Name):
            found = frozenset(b.id for b in blocks if b.name == node.name)
            if not found and node.name not in self.names.dormant:
                known = [b.name for b in blocks]
                self.unknown("unknown-rule", "rule, ability or effect", node.name, node.span, known)
            return e.By(found, node.name)
        citation = self.citation(node)
        found = frozenset(b.id for b in blocks if citation in b.citations)
        if not found and str(citation) not in self.names.dormant:
            known = [c.paragraph for b in blocks for c in b.citations if c.source == citation.source]
            hint = suggestion(citation.paragraph, known)
            self.fail("unknown-citation", f"no rule cites {citation}", node.span, hint)
        return e.By(found, str(citation))

    def citation(self, node: t.Citation) -> m.Citation:
        """A citation, its source and version checked."""
        source = self.names.sources.get(node.source)
        if source is None:
            self.unknown("unknown-source", "source", node.source, node.span, self.names.sources)
        numbers = [v.number for v in source.versions]
        if node.version is not None and node.version not in numbers:
            self.unknown("unknown-version", f"version of {node.source}", node.version, node.span, numbers)
        return m.Citation(node.source, node.paragraph, node.version or numbers[0])

    # ------------------------------------------------------------ arguments

    def arguments(
        self, call: t.Call, parameters: Sequence[m.Parameter], scope: Scope, wild: bool = False
    ) -> tuple[Any, ...]:
        """The arguments in the order of the parameters; with `wild`, `_` is None."""
        slots: dict[str, t.Argument] = {}
        names = [p.name for p in parameters]
        position = 0
        for argument in call.arguments:
            if argument.label is not None:
                if argument.label not in names:
                    self.unknown("unknown-label", f"parameter of `{call.name}`", argument.label, argument.span, names)
                name = argument.label
            elif position < len(names):
                name = names[position]
                position += 1
            else:
                self._arity(call, names)
            if name in slots:
                self.fail("duplicate", f"`{name}` is given twice", argument.span)
            slots[name] = argument
        result: list[e.Expr | None] = []
        failed = False
        for parameter in parameters:
            given = slots.get(parameter.name)
            if given is None:
                if parameter.default is None:
                    self._arity(call, names)
                result.append(parameter.default)
            elif given.value is None:
                if not wild:
                    self.fail("wildcard", "`_` can't stand here: a value is needed", given.span)
                result.append(None)
            else:
                try:
                    result.append(self._argument(given.value, parameter, scope))
                except Faulty:
                    failed = True
        if failed:
            raise Faulty
        return tuple(result)

    def _argument(self, node: t.Expr, parameter: m.Parameter, scope: Scope) -> e.Expr:
        expr = self.expect(node, scope, parameter.type)
        self.in_range(expr, parameter.type)
        return expr

    def in_range(self, expr: e.Expr, type: Type) -> None:
        """Report a constant number outside the range of its type."""
        if not (isinstance(type, IntType) and isinstance(expr, e.Const) and isinstance(expr.value, int)):
            return
        if not type.low <= expr.value <= type.high:
            self.fail("out-of-range", f"{expr.value} is outside {type.low}..{type.high}", expr.span)

    def _arity(self, call: t.Call, names: Sequence[str]) -> NoReturn:
        wanted = ", ".join(names)
        count = len(call.arguments)
        self.fail(
            "wrong-arity",
            f"`{call.name}` has {count} argument{'s' * (count != 1)} here, but needs {len(names)}",
            call.span,
            f"Its parameters: {call.name}({wanted}).",
        )

    # ------------------------------------------------------------ heads of clauses

    def head(
        self, head: t.Head, parameters: Sequence[m.Parameter], scope: Scope
    ) -> tuple[tuple[m.Pattern, ...], Scope, dict[str, t.Pattern]]:
        """The patterns of a head, the scope with what they bind, and the names that are fresh in it."""
        if len(head.patterns) != len(parameters):
            names = ", ".join(p.name for p in parameters)
            self.fail(
                "wrong-arity",
                f"`{head.name}` has {len(head.patterns)} arguments here, but needs {len(parameters)}",
                head.span,
                f"Its parameters: {head.name}({names}).",
            )
        patterns: list[m.Pattern] = []
        fresh: dict[str, t.Pattern] = {}
        for pattern, parameter in zip(head.patterns, parameters, strict=True):
            if pattern.name is not None:
                bind = self._typed(pattern, parameter)
                patterns.append(bind)
                scope = scope.bind(bind.name, bind.type)
            elif pattern.value is None:
                patterns.append(m.Wild())
            elif isinstance(pattern.value, t.Name) and self._fresh(pattern.value.name, scope, parameter.type):
                name = pattern.value.name
                patterns.append(m.Bind(name, parameter.type))
                fresh[name] = pattern
                scope = scope.bind(name, parameter.type)
            else:
                patterns.append(m.Match(self.expect(pattern.value, scope, parameter.type)))
        return tuple(patterns), scope, fresh

    def _fresh(self, name: str, scope: Scope, type: Type) -> bool:
        names = self.names
        settled = name in scope.locals or name in ("true", "false", "none", "self") or name in names.members(type)
        return not (settled or name in names.variables or name in names.readings or name in self.define_names)

    def _typed(self, pattern: t.Pattern, parameter: m.Parameter) -> m.Bind:
        name, type_name = cast(str, pattern.name), cast(str, pattern.type_name)
        have = strip(parameter.type)
        if isinstance(have, UnionType):
            union = self.names.unions[have.name]
            if type_name in union.types:
                return m.Bind(name, cast(Type, self.names.named_type(type_name)), type_name)
            if type_name in union.atoms:
                return m.Bind(name, have, type_name)
            if type_name != have.name:
                known = [*union.types, *union.atoms]
                self.unknown("unknown-type", f"part of {have}", type_name, pattern.span, known)
            return m.Bind(name, have)
        if type_name != str(have):
            if self.names.named_type(type_name) is None:
                self.unknown("unknown-type", "type", type_name, pattern.span, self.names.type_names())
            self.fail("wrong-type", f"`{parameter.name}` is {_a(have)}, never a {type_name}", pattern.span)
        return m.Bind(name, parameter.type)


def when_true(expr: e.Expr, names: Names) -> dict[e.Expr, Type]:
    """What is known of types where `expr` is true."""
    match expr:
        case e.IsOf(body, member):
            type = names.named_type(member)
            return {body: type} if type is not None else {}
        case e.And(items):
            return {k: v for item in items for k, v in when_true(item, names).items()}
        case e.Not(body):
            return when_false(body, names)
        case _:
            return {}


def when_false(expr: e.Expr, names: Names) -> dict[e.Expr, Type]:
    """What is known of types where `expr` is false."""
    match expr:
        case e.Or(items):
            return {k: v for item in items for k, v in when_false(item, names).items()}
        case e.Not(body):
            return when_true(body, names)
        case e.Equal(left, e.Const(None)) if isinstance(left.type, OptionalType):
            return {left: left.type.inner}
        case _:
            return {}


def _set_of(type: Type) -> Type:
    element = strip(type)
    return SetType(element) if isinstance(element, EnumType | RefType | UnionType) else element


def _a(type: Type) -> str:
    match type:
        case BoolType():
            return "true or false"
        case IntType():
            return "a number"
        case NoneType():
            return "none"
        case SetType(element):
            return f"a set of {element}"
        case OptionalType(inner):
            return f"{_a(inner)} or none"
        case PerType(index, value):
            return f"{_a(value)} for each {index} (say which: `[…]`)"
        case EnumType(name) | RefType(name) | UnionType(name):
            return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def constant(expr: e.Expr) -> Value:
    """The value of a constant formula; `Faulty` if it is none."""
    if isinstance(expr, e.Const):
        return expr.value
    raise Faulty

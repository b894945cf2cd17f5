"""Formulas: names resolved, types checked. Syntax tree → typed formula."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

from verify_rules.diagnostics import Reporter, known_words, suggestion
from verify_rules.model import expr as e
from verify_rules.model import hints
from verify_rules.model import model as m
from verify_rules.model.fitting import Sign, construct, fit, in_range, join, related, set_of, summed
from verify_rules.model.lookup import Faulty, Lookup, Parts
from verify_rules.model.names import BUILT_IN, Names
from verify_rules.model.scope import Scope, when_false, when_true
from verify_rules.model.types import (
    ABILITY,
    BOOL,
    EFFECT,
    NONE,
    EnumType,
    IntType,
    OptionalType,
    PerType,
    RefType,
    SetType,
    Type,
    UnionType,
    in_words,
    strip,
)
from verify_rules.parse import tree as t

# The words behind which `by R` says what decides.
DECIDED = ("forbidden", "barred", "impossible")
NO_VERDICT = "Ask for statuses and fields instead."


def _some(name: str, parameters: Sequence[m.Parameter], which: m.Parameter) -> str:
    """How to ask about anything where `_` can't stand."""
    if not isinstance(which.type, EnumType | RefType | UnionType):
        return "Write a value."
    arguments = ", ".join(p.name if p is which else "…" for p in parameters)
    return f"Name one, or ask whether there is one: `some {which.name}: {which.type}. {name}({arguments})`."


class Typer(Lookup):
    """Resolves formulas against tables of names; errors go to the reporter, `Faulty` ends the formula."""

    def __init__(self, names: Names, reporter: Reporter) -> None:
        super().__init__(names, reporter)
        self._define: Callable[[str], m.Define | None] = names.defines.get
        self.define_names: Iterable[str] = names.defines

    def use_definitions(self, names: Iterable[str], define: Callable[[str], m.Define | None]) -> None:
        """Take definitions from `define`, which elaborates those that haven't been yet, not from the tables."""
        self._define = define
        self.define_names = names

    # ------------------------------------------------------------ entry points

    def formula(self, node: t.Expr, scope: Scope) -> e.Expr:
        """A truth value."""
        return self.expect(node, scope, BOOL)

    def expect(self, node: t.Expr, scope: Scope, want: Type) -> e.Expr:
        """An expression of the wanted type."""
        return fit(self, self.expression(node, scope, want), want)

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
            case t.Triggers():
                return self._triggers(node, scope)

    def others(self, nodes: Iterable[t.Expr | None], scope: Scope) -> None:
        """Report the errors in formulas beside one that has an error itself, which would have told their types.

        So what means something only in the right place is passed over.
        """
        for node in nodes:
            if node is None or (self._literal(node, scope) and not self._means_nothing(node)):
                continue
            with Parts().one():
                self.expression(node, scope)

    def _means_nothing(self, node: t.Expr) -> bool:
        """Whether nothing anywhere has this name."""
        names = self.names
        if not isinstance(node, t.Name) or node.name in BUILT_IN or names.meaning(node.name):
            return False
        return node.name not in names.everything()

    def _known(self, expr: e.Expr, scope: Scope) -> e.Expr:
        type = scope.known.get(expr)
        if type is not None and isinstance(expr, e.Local | e.Get):
            return replace(expr, type=type)
        return expr

    def _name(self, node: t.Name, scope: Scope, want: Type | None) -> e.Expr:
        name, span, names = node.name, node.span, self.names
        if name in scope.suspect:
            raise Faulty
        if name in scope.locals:
            return e.Local(name, scope.locals[name], span=span)
        if name in scope.objects:
            return e.Const(scope.objects[name], RefType(names.kind), span=span)
        if name in ("true", "false"):
            return e.Const(name == "true", BOOL, span=span)
        if name == "none":
            return e.Const(None, NONE, span=span)
        if name == "self":
            message = "`self` is the carrier of an ability or effect; there is none here"
            self.fail("no-self", message, span, "Name the object in the head of the clause, or bind it.")
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
                help = f"Write `{name}({', '.join(p.name for p in define.parameters)})`."
                self.fail("wrong-arity", f"`{name}` needs {count} argument{'s' * (count > 1)}", span, help)
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
        home = None if want is None else names.constructor(name, want)
        if home is not None:
            help = f"Write `{name}(…)`, with {' and '.join(in_words(x) for x in home[1])} between the parentheses."
            self.fail("wrong-arity", f"`{name}` needs arguments", span, help)
        self.pass_over(name)
        here = names.members(want) if want is not None else {}
        hint = hints.not_alone(names, name)
        around = [*scope.locals, *scope.objects]
        hint = hint or suggestion(name, here) or suggestion(name, [*around, *names.everything()])
        if not hint:
            fitting = [x for x, type in scope.locals.items() if want is None or names.fits(type, want)]
            fitting += scope.objects if want is None or names.fits(RefType(names.kind), want) else ()
            hint = known_words([*fitting, *here] or [x for x in names.everything() if x not in BUILT_IN])
        self.fail("unknown-name", f"nothing is called `{name}` here", span, hint)

    def _set(self, node: t.SetLiteral, scope: Scope, want: Type | None) -> e.Expr:
        hint = strip(want) if want is not None else None
        element: Type | None = hint.element if isinstance(hint, SetType) else None
        items: list[e.Expr] = []
        for number, item in enumerate(node.items, start=1):
            try:
                expr = self.expression(item, scope, element)
            except Faulty:
                self.others(node.items[number:], scope)
                raise
            if element is None:
                element = strip(expr.type)
            items.append(fit(self, expr, OptionalType(cast(Any, element))))
        if element is None:
            element = RefType(self.names.kind)
        if not isinstance(element, EnumType | RefType | UnionType):
            help = f"A set has members of an enumeration or union in it, or each a {self.names.kind}."
            self.fail("wrong-type", f"a set can't have elements of type {element}", node.span, help)
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
            return construct(self, name, enum, self.arguments(node, parameters, scope), node.span)
        self.others((a.value for a in node.arguments), scope)
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
        self.unknown("unknown-name", "status or definition", name, node.span.first(len(name)), known)

    def _access(self, node: t.Access, scope: Scope) -> e.Expr:
        base = self.expression(node.base, scope)
        name, names = node.name, self.names
        variable = names.variables.get(name)
        if variable is not None and variable.of_kind:
            if isinstance(strip(base.type), RefType):
                return e.Get(name, base, (), variable.full_type, span=node.span)
            if isinstance(strip(base.type), UnionType):
                fit(self, base, RefType(names.kind))
            self.fail(
                "wrong-type",
                f"`{name}` is a field of a {names.kind}, and this is {in_words(base.type)}",
                node.base.span,
                f"Write it behind {in_words(RefType(names.kind))}: `c.{name}`.",
            )
        status = names.statuses.get(name)
        if status is not None and len(status.parameters) == 1:
            return e.StatusIs(name, (fit(self, base, status.parameters[0].type),), span=node.span)
        define = self._define(name) if name in self.define_names else None
        if define is not None and len(define.parameters) == 1:
            argument = fit(self, base, define.parameters[0].type)
            return e.DefineIs(name, (argument,), define.body.type, span=node.span)
        known = [v.name for v in names.variables.values() if v.of_kind]
        known += [s.name for s in names.statuses.values() if len(s.parameters) == 1]
        place = node.span.last(len(name))
        self.unknown("unknown-field", f"field of a {names.kind}", name, place, [*known, *self.define_names])

    def _index(self, node: t.Index, scope: Scope) -> e.Expr:
        base = self.expression(node.base, scope)
        if not isinstance(base, e.Get) or not isinstance(base.type, PerType):
            help = "Leave the brackets out, or declare it with `per`: `NAME : per ENUMERATION TYPE`."
            self.fail("wrong-type", "only a variable declared with `per` has an index", node.span, help)
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
                known = (*scope.locals, *scope.objects, "true", "false", *self.names.readings, *self.names.variables)
                return name not in known and name not in self.define_names
            case t.SetLiteral():
                return True
            case t.Call(name):
                return name not in self.names.statuses and name not in self.define_names
            case _:
                return False

    def _sides(self, node: t.Binary, scope: Scope) -> tuple[e.Expr, e.Expr]:
        """Both sides, the more telling one first, so that its type helps with the other."""
        turned = self._literal(node.left, scope) and not self._literal(node.right, scope)
        one, two = (node.right, node.left) if turned else (node.left, node.right)
        first = self._first(one, two, scope)
        second = self.expression(two, scope, first.type)
        return (second, first) if turned else (first, second)

    def _meant_reading(self, node: t.Binary, scope: Scope) -> None:
        """Report a name compared with an option of a reading that is no value: the name of the reading is meant."""
        match node.left, node.right:
            case t.Name(name), t.Name(option):
                values = (*scope.locals, *scope.objects, *self.names.readings, *self.names.variables)
                known = name in values or name in scope.suspect or self.names.value_name(name)
                if known or name in BUILT_IN or name in self.define_names or name in self.names.broken:
                    return
                help = hints.meant_reading(self.names, name, option)
                if help:
                    self.fail("unknown-name", f"nothing is called `{name}` here", node.left.span, help)
            case _:
                return

    def _first(self, node: t.Expr, other: t.Expr, scope: Scope, want: Type | None = None) -> e.Expr:
        """The side that tells the type of the other one; if it has an error, the other is looked at by itself."""
        try:
            return self.expression(node, scope, want)
        except Faulty:
            self.others([other], scope)
            raise

    def _binary(self, node: t.Binary, scope: Scope, want: Type | None) -> e.Expr:
        match node.operator:
            case "+" | "-" as sign:
                return self._sum(node, sign, scope, want)
            case "in":
                return self._in(node, scope)
            case _ as relation:
                self._meant_reading(node, scope)
                left, right = self._sides(node, scope)
                return related(self, relation, left, right, node.span)

    def _in(self, node: t.Binary, scope: Scope) -> e.Expr:
        if isinstance(node.right, t.SetLiteral) and not self._literal(node.left, scope):
            left = self._first(node.left, node.right, scope)
            right = self.expect(node.right, scope, set_of(left.type))
            return e.In(left, right, span=node.span)
        right = self._first(node.right, node.left, scope)
        if not isinstance(right.type, SetType):
            message = f"`in` needs a set on its right, and this is {in_words(right.type)}"
            self.fail("wrong-type", message, right.span, "Compare single values with `=`, or write a set: `{…}`.")
        element = right.type.element
        left = self.expression(node.left, scope, element)
        # A value of another part of a union is in no such set: no error, it is just false.
        if not isinstance(strip(left.type), UnionType) or isinstance(element, UnionType):
            left = fit(self, left, OptionalType(element))
        return e.In(left, right, span=node.span)

    def _sum(self, node: t.Binary, sign: Sign, scope: Scope, want: Type | None) -> e.Expr:
        hint = want if isinstance(want, SetType) else None
        if self._literal(node.left, scope) and not self._literal(node.right, scope):
            right = self._first(node.right, node.left, scope, hint)
            left = self.expression(node.left, scope, right.type)
        else:
            left = self._first(node.left, node.right, scope, hint)
            right = self.expression(node.right, scope, left.type)
        return summed(self, sign, left, right, hint, node.span)

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
                "wrong-type",
                f"`is` asks which part of a union something is, and this is {in_words(type)}",
                node.body.span,
                "Compare it with `=`, or ask with `in` what is in a set.",
            )
        if node.type_name not in parts:
            place = node.span.last(len(node.type_name))
            help = hints.instead_of_is(self.names, node.body, node.type_name)
            self.unknown("unknown-type", f"part of {type}", node.type_name, place, () if help else parts, help)
        return e.IsOf(body, node.type_name, span=node.span)

    def _contains(self, node: t.Contains, scope: Scope) -> e.Expr:
        body = self.expression(node.body, scope, EnumType(ABILITY))
        if strip(body.type) not in (EnumType(ABILITY), EnumType(EFFECT)):
            self.fail(
                "wrong-type",
                f"`{node.word}` asks about an ability or effect, and this is {in_words(body.type)}",
                body.span,
                f"Name one: `some A: {ABILITY}. A {node.word} {node.action}`.",
            )
        self.action(node.action, node.span.last(len(node.action)))
        return e.Contains(body, "forbid" if node.word == "forbids" else "permit", node.action, span=node.span)

    def _if_else(self, node: t.IfElse, scope: Scope, want: Type | None) -> e.Expr:
        try:
            condition = self.formula(node.condition, scope)
        except Faulty:
            self.others([node.yes, node.no], scope)
            raise
        true_scope = scope.learn(when_true(condition, self.names))
        false_scope = scope.learn(when_false(condition, self.names))
        if self._literal(node.yes, scope) and not self._literal(node.no, scope):
            no = self.expression(node.no, false_scope, want)
            yes = self.expression(node.yes, true_scope, want or no.type)
        else:
            yes = self.expression(node.yes, true_scope, want)
            no = self.expression(node.no, false_scope, want or yes.type)
        if isinstance(want, SetType):
            yes, no = fit(self, yes, want), fit(self, no, want)
        type = join(self.names, yes.type, no.type)
        if type is None:
            message = f"one branch is {in_words(yes.type)}, the other {in_words(no.type)}"
            self.fail("wrong-type", message, node.span, "Write values of one type behind `then` and `else`.")
        return e.IfElse(condition, yes, no, type, span=node.span)

    def _bound(self, binder: t.Binder, scope: Scope) -> tuple[e.Bound, Scope]:
        self.may_bind(binder.name, binder.span, scope.parameters)
        if binder.domain is not None:
            domain = self.expression(binder.domain, scope)
            if not isinstance(domain.type, SetType):
                help = f"Write `{binder.name}: TYPE` for all there are, or a set behind `in`."
                self.fail("wrong-type", f"`in` needs a set, and this is {in_words(domain.type)}", domain.span, help)
            element = domain.type.element
            bound = e.Bound(binder.name, cast(Any, element), domain, span=binder.span)
            return bound, scope.bind(binder.name, element)
        name = cast(str, binder.type_name)
        type = self.names.named_type(name)
        if type is None:
            place = binder.span.last(len(name), behind=1)
            self.unknown("unknown-type", "type", name, place, self.names.type_names())
        bound = e.Bound(binder.name, cast(Any, type), None, span=binder.span)
        return bound, scope.bind(binder.name, type)

    def _quantified(self, node: t.Quantified, scope: Scope, want: Type | None) -> e.Expr:
        try:
            bound, inner = self._bound(node.binder, scope)
        except Faulty:
            self.others([node.body], scope.suspecting([node.binder.name]))
            raise
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
                    message = f"`union` joins sets, and this is {in_words(body.type)}"
                    self.fail("wrong-type", message, body.span, "Write a set, or one value, for each.")
                return e.UnionOver(bound, body, body.type, span=node.span)

    # ------------------------------------------------------------ verdicts and arguments

    def _verdict(self, node: t.Verdict, scope: Scope) -> e.Expr:
        if scope.verdicts:
            self.fail("asks-verdict", f"a verdict can't be asked for here: {scope.verdicts}", node.span, NO_VERDICT)
        modality = node.modality
        if node.by is not None and modality not in DECIDED:
            self.fail(
                "misplaced-by",
                f"`{modality} …` can't be asked with `by`: no single rule decides it",
                node.by.span,
                f"Leave it out, or say `{'impossible' if modality == 'possible' else 'forbidden'} … by`.",
            )
        by = None
        parts = Parts()
        with parts.one():
            by = None if node.by is None else self.decider(node.by)
        if modality in ("possible", "impossible"):
            event = self.called(node.call, scope)
            arguments = self.arguments(node.call, event.parameters, scope)
            parts.done()
            return e.Happens(event.name, arguments, modality == "possible", by, span=node.span)
        event = self.called(node.call, scope, action=True)
        pattern = self.arguments(node.call, event.parameters, scope, wild=True)
        parts.done()
        return e.Ask(cast(e.Modality, modality), event.name, pattern, by, span=node.span)

    def called(self, call: t.Call, scope: Scope, action: bool = False) -> m.Event:
        """The event or action that is called; if it isn't known, the arguments are looked at by themselves."""
        try:
            return self.action(call.name, call.span) if action else self.event(call)
        except Faulty:
            self.others((a.value for a in call.arguments), scope)
            raise

    def _triggers(self, node: t.Triggers, scope: Scope) -> e.Expr:
        if scope.verdicts:
            self.fail("asks-verdict", f"it can't be asked here what triggers: {scope.verdicts}", node.span, NO_VERDICT)
        parts = Parts()
        by, carrier = e.By(frozenset(), ""), None
        with parts.one():
            by = self.triggering(node.block)
            carrier = None if node.carrier is None else self._carrier(node.carrier, by, scope)
        event = self.called(node.call, scope)
        arguments = self.arguments(node.call, event.parameters, scope)
        parts.done()
        return e.Triggers(by, carrier, event.name, arguments, span=node.span)

    def _carrier(self, tree: t.Expr, by: e.By, scope: Scope) -> e.Expr:
        """Whose ability or effect it is that is asked about."""
        blocks = [self.names.blocks[id] for id in sorted(by.blocks)]
        if blocks and all(b.what == "rule" for b in blocks):
            help = "Leave out whose it is."
            self.fail("wrong-type", f"`{by.text}` is a rule, and a rule is of nobody", tree.span, help)
        expr = self.expression(tree, scope)
        holders = [b.holder for b in blocks if b.holder is not None]
        if holders and not any(self.names.fits(holder, strip(expr.type)) for holder in holders):
            expr = fit(self, expr, holders[0])
        return expr

    def arguments(
        self, call: t.Call, parameters: Sequence[m.Parameter], scope: Scope, wild: bool = False
    ) -> tuple[Any, ...]:
        """The arguments in the order of the parameters; with `wild`, `_` is None."""
        try:
            slots = self.slots(call, parameters)
            for parameter in parameters:
                if parameter.name not in slots and parameter.default is None:
                    self.wrong_arity(call, [p.name for p in parameters])
        except Faulty:
            self.others((a.value for a in call.arguments), scope)
            raise
        result: list[e.Expr | None] = []
        parts = Parts()
        for parameter in parameters:
            given = slots.get(parameter.name)
            if given is None:
                result.append(parameter.default)
                continue
            with parts.one():
                if given.value is not None:
                    result.append(self._argument(given.value, parameter, scope))
                    continue
                if not wild:
                    self.fail(
                        "wildcard",
                        "`_` can't stand here: a value is needed",
                        given.span,
                        _some(call.name, parameters, parameter),
                    )
                result.append(None)
        parts.done()
        return tuple(result)

    def _argument(self, node: t.Expr, parameter: m.Parameter, scope: Scope) -> e.Expr:
        expr = self.expect(node, scope, parameter.type)
        in_range(self, expr, parameter.type)
        return expr

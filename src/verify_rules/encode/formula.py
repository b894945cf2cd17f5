"""Formulas and statuses as symbolic values at one state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import assert_never

from verify_rules.encode.board import Board, State
from verify_rules.encode.reach import Reach
from verify_rules.encode.symbolic import Choice, Members, Sym
from verify_rules.encode.terms import Term
from verify_rules.model import expr as e
from verify_rules.model.model import Bind, Block, Match, Parameter, Pattern, StatusClause, Wild
from verify_rules.model.types import ABILITY, Atom, EnumType, Obj, SetType, Type, strip

Env = Mapping[str, Sym]
Proposition = (
    e.Not | e.And | e.Or | e.Equal | e.AtMost | e.In | e.Meets | e.Within | e.Some | e.All | e.IsOf | e.Contains
    | e.Ask | e.Happens | e.Triggers
)  # fmt: skip


class Formulas(ABC):
    """What formulas and statuses mean at one state; every status is computed once for the same arguments."""

    def __init__(self, board: Board, state: State) -> None:
        self.board = board
        self.model = board.model
        self.state = state
        self.factory = board.factory
        self.symbolic = board.symbolic
        self.reach = Reach(board, state)
        self._statuses: dict[tuple[str, tuple[Hashable, ...]], Term | None] = {}
        self._defines: dict[tuple[str, tuple[Hashable, ...]], Sym] = {}

    @abstractmethod
    def asked(self, question: e.Ask, env: Env) -> Term:
        """The answer to a question about verdicts."""

    @abstractmethod
    def happens(self, question: e.Happens, env: Env) -> Term:
        """Whether an event can happen."""

    @abstractmethod
    def triggers(self, question: e.Triggers, env: Env) -> Term:
        """Whether something triggers on an event."""

    # ------------------------------------------------------------ formulas

    def truth(self, expr: e.Expr | None, env: Env) -> Term:
        """The value of a condition; a missing one is true."""
        return self.factory.true if expr is None else self.symbolic.bool_term(self.value(expr, env))

    def value(self, expr: e.Expr, env: Env) -> Sym:
        """The value of a formula."""
        s = self.symbolic
        match expr:
            case e.Const(value):
                return s.const(value)
            case e.Local(name):
                return env[name]
            case e.Get():
                return self._get(expr, env)
            case e.ReadingValue(reading):
                return self.board.readings[reading]
            case e.StatusIs(status, arguments):
                return self._status_is(status, [self.value(a, env) for a in arguments])
            case e.DefineIs(define, arguments):
                return self._define(define, [self.value(a, env) for a in arguments])
            case e.Construct(member, arguments, type):
                return self._construct(member, [self.value(a, env) for a in arguments], type)
            case e.IfElse(condition, yes, no):
                when = self.truth(condition, env)
                if when.op == "const":
                    return self.value(yes if when.is_true else no, env)
                return s.ite(when, self.value(yes, env), self.value(no, env))
            case e.Sum(left, right, negative):
                return s.plus(self.value(left, env), self.value(right, env), negative)
            case e.Count(bound, body):
                return s.count(self.factory.and_(w, self.truth(body, inner)) for w, inner in self._bound(bound, env))
            case e.SetOf(items):
                return s.set_of(self.value(item, env) for item in items)
            case e.Joined(left, right):
                return s.joined(self.value(left, env), self.value(right, env))
            case e.Without(left, right):
                return s.without(self.value(left, env), self.value(right, env))
            case e.UnionOver(bound, body):
                return s.joined(*(s.restricted(self.value(body, inner), w) for w, inner in self._bound(bound, env)))
            case _:
                return self._proposition(expr, env)

    def _proposition(
        self,
        expr: Proposition,
        env: Env,
    ) -> Term:
        f, s = self.factory, self.symbolic
        match expr:
            case e.Not(body):
                return f.not_(self.truth(body, env))
            case e.And(items):
                return self._all(self.truth(item, env) for item in items)
            case e.Or(items):
                return self._any(self.truth(item, env) for item in items)
            case e.Equal(left, right):
                return s.equal(self.value(left, env), self.value(right, env))
            case e.AtMost(left, right):
                return s.at_most(self.value(left, env), self.value(right, env))
            case e.In(item, members):
                return s.contains(self.value(item, env), self.value(members, env))
            case e.Meets(left, right):
                return s.meets(self.value(left, env), self.value(right, env))
            case e.Within(left, right):
                return s.within(self.value(left, env), self.value(right, env))
            case e.Some(bound, body):
                return self._any(f.and_(w, self.truth(body, inner)) for w, inner in self._bound(bound, env))
            case e.All(bound, body):
                return self._all(f.implies(w, self.truth(body, inner)) for w, inner in self._bound(bound, env))
            case e.IsOf(body, member):
                return self._is_of(self.value(body, env), member)
            case e.Contains(body, word, action):
                choice = s.as_choice(self.value(body, env))
                what = "ability" if strip(body.type) == EnumType(ABILITY) else "effect"
                return s.among(choice, lambda value: self._speaks(what, value, word, action))
            case e.Ask():
                return self.asked(expr, env)
            case e.Happens():
                return self.happens(expr, env)
            case e.Triggers():
                return self.triggers(expr, env)
            case _:
                assert_never(expr)

    def _all(self, terms: Iterator[Term]) -> Term:
        """Conjunction that asks for no more once the answer is false."""
        found: list[Term] = []
        for term in terms:
            if term.is_false:
                return term
            found.append(term)
        return self.factory.all_of(found)

    def _any(self, terms: Iterator[Term]) -> Term:
        """Disjunction that asks for no more once the answer is true."""
        found: list[Term] = []
        for term in terms:
            if term.is_true:
                return term
            found.append(term)
        return self.factory.any_of(found)

    def _bound(self, bound: e.Bound, env: Env) -> Iterator[tuple[Term, Env]]:
        """The environments of a quantifier's body, each with the condition under which it counts."""
        s = self.symbolic
        if bound.domain is None:
            for value in self.board.values_of(bound.type):
                yield self.factory.true, {**env, bound.name: s.atom(value)}
        else:
            for value, when in s.as_set(self.value(bound.domain, env)).cases.items():
                yield when, {**env, bound.name: s.atom(value)}

    def _get(self, expr: e.Get, env: Env) -> Sym:
        variable = self.model.variables[expr.variable]
        s = self.symbolic
        parts: list[Sym] = [self.value(i, env) for i in expr.index]
        if expr.owner is not None:
            parts.insert(0, self.value(expr.owner, env))
        null = s.const(variable.null)

        def stored(keys: tuple[Atom, ...]) -> Sym:
            owner: Obj | None = None
            if expr.owner is not None:
                if not isinstance(keys[0], Obj):
                    return null
                owner, keys = keys[0], keys[1:]
            slot = (variable.name, owner, keys)
            values = self.board.fixed if variable.fixed else self.state.values
            return values.get(slot, null)

        if all(isinstance(p, Choice) and p.is_constant for p in parts):
            return stored(tuple(s.as_choice(p).constant for p in parts))
        return s.select((when, stored(keys)) for keys, when in s.combinations(parts))

    def _construct(self, member: str, arguments: list[Sym], type: EnumType) -> Sym:
        s = self.symbolic
        return s.choice(
            (self.board.constructed(member, values, type.name), when) for values, when in s.combinations(arguments)
        )

    def _define(self, name: str, arguments: list[Sym]) -> Sym:
        define = self.model.defines[name]
        key = (name, tuple(self.symbolic.key(a) for a in arguments))
        known = self._defines.get(key)
        if known is None:
            known = self._defines[key] = self.value(define.body, self.bind(define.parameters, arguments))
        return known

    def bind(self, parameters: Sequence[Parameter], arguments: Sequence[Sym]) -> dict[str, Sym]:
        """The names of the parameters for the arguments; those left out have their default."""
        env: dict[str, Sym] = {}
        for number, parameter in enumerate(parameters):
            if number < len(arguments):
                env[parameter.name] = arguments[number]
            elif parameter.default is not None:
                env[parameter.name] = self.symbolic.const(parameter.default.value)
            else:
                raise TypeError(f"no argument for {parameter.name}")
        return env

    def _is_of(self, value: Sym, member: str) -> Term:
        """The value is an object, a member of the enumeration, or the constant of this name."""
        return self.symbolic.among(self.symbolic.as_choice(value), lambda v: self.board.is_of(v, member))

    def _speaks(self, what: str, value: Atom, word: str, action: str) -> bool:
        """The block of an ability or effect has a norm of this word on the action."""
        words = ("forbid", "price") if word == "forbid" else (word,)
        return any(
            norm.word in words and norm.action == action
            for block in self.board.index.blocks.get((what, self.board.constructor(value)), ())
            for norm in self.board.index.norms_in.get(block.id, ())
        )

    # ------------------------------------------------------------ statuses

    def admitted(self, type: Type, value: Sym) -> Term:
        """The argument can stand for a parameter of the type."""
        if isinstance(value, Choice):
            return self.symbolic.among(value, lambda v: self.board.admits(type, v))
        return self.factory.boolean(isinstance(value, Members) == isinstance(type, SetType))

    def split(self, arguments: Sequence[Sym]) -> Iterator[tuple[Term, list[Sym]]]:
        """All ways in which the choices among the arguments may turn out; other arguments stay as they are."""
        s = self.symbolic
        chosen = [n for n, a in enumerate(arguments) if isinstance(a, Choice)]
        for values, when in s.combinations([arguments[n] for n in chosen]):
            concrete = list(arguments)
            for n, value in zip(chosen, values, strict=True):
                concrete[n] = s.atom(value)
            yield when, concrete

    def _status_is(self, name: str, arguments: list[Sym]) -> Term:
        if all(isinstance(a, Choice) and a.is_constant for a in arguments):
            return self.status(name, arguments)
        options = [(when, self.status(name, concrete)) for when, concrete in self.split(arguments)]
        return self.symbolic.bool_term(self.symbolic.select(options))

    def status(self, name: str, arguments: Sequence[Sym]) -> Term:
        """The status holds of the arguments, of which those that are choices are constant."""
        key = (name, tuple(self.symbolic.key(a) for a in arguments))
        if key in self._statuses:
            known = self._statuses[key]
            if known is None:
                raise RuntimeError(f"status {name} of {key[1]} depends on itself")
            return known
        self._statuses[key] = None
        result = self._status(name, arguments)
        self._statuses[key] = result
        return result

    def _status(self, name: str, arguments: Sequence[Sym]) -> Term:
        f = self.factory
        types = [p.type for p in self.model.statuses[name].parameters]
        for type, argument in zip(types, arguments, strict=True):
            if not self.admitted(type, argument).is_true:
                return f.false
        given = self._clauses(name, False, arguments)
        if given.is_false:
            return given
        return f.and_(given, f.not_(self._clauses(name, True, arguments)))

    def _clauses(self, name: str, negative: bool, arguments: Sequence[Sym]) -> Term:
        """Some positive (negative) clause of the status has these arguments."""
        return self._any(
            self._clause(clause, arguments) for clause in self.board.index.clauses.get((name, negative), ())
        )

    def _clause(self, clause: StatusClause, arguments: Sequence[Sym]) -> Term:
        if clause.id in self.board.index.taking and self._takes_too(clause, arguments[-1]):
            return self.factory.false
        found = self._any(
            self.factory.and_(when, self.truth(clause.condition, env))
            for _, env, when in self.occurrences(clause.block, clause.patterns, arguments)
        )
        return self.factory.and_(self.board.selector(clause.id), found)

    def _takes_too(self, clause: StatusClause, last: Sym) -> bool:
        """The ability (effect) that a general taker would take is such a taker itself."""
        index = self.board.index
        type = self.model.statuses[clause.status].parameters[-1].type
        what = "ability" if type == EnumType(ABILITY) else "effect"
        name = self.board.constructor(self.symbolic.as_choice(last).constant)
        return any(block.id in index.takers for block in index.blocks.get((what, name), ()))

    # ------------------------------------------------------------ clauses

    def occurrences(
        self, block_id: str, patterns: Sequence[Pattern], arguments: Sequence[Sym]
    ) -> Iterator[tuple[Atom, Env, Term]]:
        """Where a clause of the block matches the arguments: the carrier, the names, and when it is live and matches.

        Patterns come before liveness: a clause about other arguments must not ask anything.
        """
        block = self.model.blocks[block_id]
        if not all(self._thinkable(p, a) for p, a in zip(patterns, arguments, strict=True)):
            return
        if block.what not in ("ability", "effect"):
            when, env = self._matched(patterns, arguments, {})
            if not when.is_false:
                yield None, env, when
            return
        for holder, value, values in self.reach.instances(block):
            start: dict[str, Sym] = {"self": self.symbolic.atom(holder)}
            for parameter, argument in zip(block.parameters, values, strict=True):
                start[parameter.name] = self.symbolic.const(argument)
            when, env = self._matched(patterns, arguments, start)
            if when.is_false:
                continue
            when = self.factory.and_(when, self.live(block, holder, value))
            if not when.is_false:
                yield holder, env, when

    def live(self, block: Block, holder: Atom, value: Atom) -> Term:
        """The instance of an ability or effect block is live on the holder."""
        names = self.board.index.live[block.what]
        arguments = [self.symbolic.atom(holder), self.symbolic.atom(value)]
        return self._any(self.status(name, arguments) for name in names)

    def _thinkable(self, pattern: Pattern, argument: Sym) -> bool:
        """Whether the pattern may match, judged by constants and by the names of members alone."""
        if not isinstance(pattern, Match) or not (isinstance(argument, Choice) and argument.is_constant):
            return True
        match pattern.value:
            case e.Const(value):
                return value is not None and value == argument.constant
            case e.Construct(member):
                return isinstance(argument.constant, str) and self.board.constructor(argument.constant) == member
            case _:
                return True

    def _matched(
        self, patterns: Sequence[Pattern], arguments: Sequence[Sym], env: Mapping[str, Sym]
    ) -> tuple[Term, dict[str, Sym]]:
        names = dict(env)
        found: list[Term] = []
        for pattern, argument in zip(patterns, arguments, strict=True):
            match pattern:
                case Wild():
                    pass
                case Bind(name, _, only):
                    names[name] = argument
                    if only is not None:
                        found.append(self._is_of(argument, only))
                case Match(value):
                    found.append(self.symbolic.matches(self.value(value, names), argument))
                case _:
                    assert_never(pattern)
            if found and found[-1].is_false:
                return found[-1], names
        return self.factory.all_of(found), names

"""Where facts come from: the clause, the step that made it so, and the fact that rests on nothing but values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from verify_rules.explain.reasons import Claim, Fact, Origin, Source
from verify_rules.explain.words import Words
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.show import show_value
from verify_rules.model.types import Obj, Value
from verify_rules.semantics import Happened, Moment, Run, RunStep, Slot

Env = Mapping[str, Value]
Clause = m.StatusClause | m.Norm | m.Lift | m.Amendment | m.Trigger


class Origins(ABC):
    """What every part of the explainer needs: sources, origins, values and leaves."""

    def __init__(self, run: Run, moment: Moment, steps: int, words: Words, supposed: RunStep | None = None) -> None:
        self.run = run
        self.supposed = supposed
        self.model = run.model
        self.moment = moment
        self.steps = steps
        self.words = words

    @abstractmethod
    def support(self, expr: e.Expr, env: Env, truth: bool) -> tuple[Fact, ...]:
        """The facts that make the formula true (or false, as it is)."""

    def claim(self, expr: e.Expr, env: Env, truth: bool) -> Claim:
        """What a fact says, of this moment."""
        return Claim(expr, env, truth, self.moment)

    def source(self, clause: Clause) -> Source:
        """The clause's block, citations and line."""
        return self.block_source(clause.block, clause.span)

    def block_source(self, id: str, span: Any = None) -> Source:
        """A block as a source; `span` is the line of the clause in it."""
        block = self.model.blocks[id]
        cites = tuple(str(c) for c in block.citations)
        return Source(block.name, block.what, block.title, cites, span or block.span)

    def origin_of(self, step: RunStep) -> Origin:
        """A step as an origin; its number counts the script's steps from 1 (the prologue has its own)."""
        number = step.number + 1 if step.prologue else step.number + 1 - len(self.run.prologue)
        return Origin(step.text, number, step.prologue, step.span, step is self.supposed)

    def _amending(self, step: RunStep, slot: Slot) -> str | None:
        """The block whose amendment of the event wrote the slot, if one did."""
        group = step.outcome.writes[slot].group if isinstance(step.outcome, Happened) else None
        block = None if group is None else self.model.blocks[group]
        return None if block is None or block.what == "group" else block.name

    def pair(self, action: str, args: tuple[Value, ...]) -> str:
        """A pair as it is written."""
        return f"{action}({', '.join(show_value(a) for a in args)})"

    def origin(self, expr: e.Expr, env: Env) -> Origin | None:
        """The last step that wrote what a formula reads, also in what it names or counts."""
        latest: RunStep | None = None
        by: str | None = None
        for get, known in self._reads(expr, env, set()):
            if self.model.variables[get.variable].fixed:
                continue
            try:
                owner = None if get.owner is None else self.value(get.owner, known)
                index = tuple(self.value(i, known) for i in get.index)
            except KeyError:
                continue  # it is about a bound variable, of which there are several
            if get.owner is not None and not isinstance(owner, Obj):
                continue
            slot = (get.variable, owner, index)
            # What gave it its value; if it has always had it, the last step that could have changed it.
            step = self.run.origin(*slot, self.steps, changed=True) or self.run.origin(*slot, self.steps)
            if step is not None and (latest is None or step.number > latest.number):
                latest, by = step, self._amending(step, slot)
        return None if latest is None else replace(self.origin_of(latest), by=by)

    def _reads(self, expr: e.Expr, env: Env, seen: set[tuple[str, tuple[Value, ...]]]) -> Iterator[tuple[e.Get, Env]]:
        """The variables that a formula reads; definitions are looked into once for the same arguments."""
        match expr:
            case e.Get():
                yield expr, env
            case e.DefineIs(name, arguments):
                define = self.model.defines[name]
                if all(e.free(a) <= env.keys() for a in arguments):
                    args = tuple(self.value(a, env) for a in arguments)
                    if (name, args) not in seen:
                        seen.add((name, args))
                        known = {p.name: arg for p, arg in zip(define.parameters, args, strict=True)}
                        yield from self._reads(define.body, known, seen)
            case e.Count(bound, body) | e.UnionOver(bound, body):
                if bound.domain is None or e.free(bound.domain) <= env.keys():
                    for value in self.values(bound, env):
                        yield from self._reads(body, {**env, bound.name: value}, seen)
            case e.Some(bound, body) | e.All(bound, body):
                yield from self._reads(body, {k: v for k, v in env.items() if k != bound.name}, seen)
                if bound.domain is not None:
                    yield from self._reads(bound.domain, env, seen)
                return
            case _:
                pass
        inside = (expr.bound.domain,) if isinstance(expr, e.Count | e.UnionOver) else e.children(expr)
        for child in inside:
            if child is not None:
                yield from self._reads(child, env, seen)

    # ------------------------------------------------------------ values

    def value(self, expr: e.Expr, env: Env) -> Any:
        """The value of a formula here."""
        return self.moment.value(expr, dict(env))

    def met(self, condition: e.Expr | None, env: Env) -> bool:
        """Whether a condition, if there is one, is true."""
        return condition is None or bool(self.value(condition, env))

    def values(self, bound: e.Bound, env: Env) -> list[Value]:
        """What a bound variable runs through, in order."""
        candidates = self.run.board.candidates(bound.type)
        if bound.domain is None:
            return list(candidates)
        domain = self.value(bound.domain, env)
        return [value for value in candidates if value in domain]

    # ------------------------------------------------------------ facts

    def told(self, expr: e.Expr, env: Env, truth: bool) -> str:
        """A formula as a fact, in words."""
        return self.words.fact(expr, env, truth, self._of(env))

    def _of(self, env: Env) -> Callable[[e.Expr], Any]:
        return lambda expr: self.value(expr, env)

    def leaf(self, expr: e.Expr, env: Env, truth: bool) -> Fact:
        """A fact that rests on nothing but values."""
        claim = self.claim(expr, dict(env), truth)
        origin = self.origin(expr, env)
        minor = (origin is None or origin.prologue) and self._bookkeeping(expr)
        return Fact(self.told(expr, env, truth), origin, claim=claim, minor=minor)

    def _bookkeeping(self, expr: e.Expr) -> bool:
        """Whether a formula reads nothing but variables of the whole game for which the game has no word."""
        reads = [inner for inner in e.walk(expr) if not isinstance(inner, e.Const | e.Local | e.Equal | e.AtMost)]
        return bool(reads) and all(
            isinstance(get, e.Get) and get.owner is None and get.variable not in self.model.terms for get in reads
        )

    def is_now(self, expr: e.Expr, env: Env) -> Fact:
        """The value that a formula has."""
        value = self.value(expr, env)
        return self.leaf(e.Equal(expr, e.Const(value, expr.type)), env, True)

    def unfit(self, parameters: Iterable[m.Parameter], arguments: Iterable[e.Expr | None], env: Env) -> list[Fact]:
        """The arguments that can't stand for their parameters: nothing is so of none."""
        admits = self.run.board.program.admits
        return [
            self.is_now(argument, env)
            for parameter, argument in zip(parameters, arguments, strict=False)
            if argument is not None and not admits(parameter.type)(self.value(argument, env))
        ]


def distinct(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts without repetition."""
    return tuple(dict.fromkeys(facts))


def weight(facts: tuple[Fact, ...]) -> int:
    """The number of lines."""
    return sum(fact.size for fact in facts)


def least(options: Iterable[tuple[Fact, ...]]) -> tuple[Fact, ...]:
    """The shortest."""
    return min(options, key=weight, default=())

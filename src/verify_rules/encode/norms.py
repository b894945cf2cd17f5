"""Verdicts: what norms, lifts, steering and duties say about an action, as five exclusive terms; and questions."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from verify_rules.encode.board import Board, State
from verify_rules.encode.formula import Env, Formulas
from verify_rules.encode.happen import Change, Requirement, admitted, amending, requirements
from verify_rules.encode.symbolic import Sym
from verify_rules.encode.terms import Term
from verify_rules.model import expr as e
from verify_rules.model.model import ClassVictim, Lift, NamedVictim, Norm, NormWord, Victim
from verify_rules.model.types import Atom

Verdict = Literal["required", "permitted", "forbidden", "not permitted", "impossible"]
VERDICTS: tuple[Verdict, ...] = ("required", "permitted", "forbidden", "not permitted", "impossible")
Pair = tuple[Atom, ...]
ORIGINS = {"rules": "rule", "effects": "effect", "abilities": "ability"}


@dataclass(frozen=True)
class Instance:
    """A norm with its carrier at a pair, and whether it applies and is not lifted."""

    norm: Norm
    carrier: Atom
    holds: Term


@dataclass(frozen=True)
class Level:
    """A level of the order of precedence at a pair: whether it decides, were the requirements met."""

    word: NormWord
    decides: Term
    instances: tuple[Instance, ...]


@dataclass(frozen=True)
class Base:
    """The base verdict of a pair; `barred` and `levels` look at no requirement."""

    possible: Term
    permitted: Term
    forbidden: Term
    unmentioned: Term
    barred: Term
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Stage:
    """The pairs of an actor that are steered to, or are its duty; `any` says that there is one."""

    pairs: Mapping[Pair, Term]
    any: Term


class Norms(Formulas):
    """The meaning of everything at one state."""

    def __init__(self, board: Board, state: State) -> None:
        super().__init__(board, state)
        self._requirements: dict[tuple[str, Pair], list[Requirement]] = {}
        self._lifts: dict[tuple[str, Pair], list[tuple[Lift, Env, Term]]] = {}
        self._instances: dict[tuple[str, Pair, NormWord], tuple[Instance, ...]] = {}
        self._bases: dict[tuple[str, Pair], Base | None] = {}
        self._steering: dict[tuple[str, Pair], Stage] = {}
        self._duties: dict[tuple[str, Pair], Stage] = {}
        self._followers: dict[tuple[str, tuple[Hashable, ...]], tuple[Norms, Term]] = {}

    # ------------------------------------------------------------ pairs

    def pairs_of(self, action: str, pair: Pair) -> list[Pair]:
        """All pairs with the same actor."""
        others = [self.board.values_of(p.type) for p in self.model.events[action].parameters[1:]]
        return list(itertools.product(*[(value,) for value in pair[:1]], *others))

    def _arguments(self, pair: Pair) -> list[Sym]:
        return [self.symbolic.const(value) for value in pair]

    def required_of(self, action: str, pair: Pair) -> list[Requirement]:
        """What the action requires of the pair."""
        key = (action, pair)
        if key not in self._requirements:
            event = self.model.events[action]
            env = self.bind(event.parameters, self._arguments(pair))
            self._requirements[key] = requirements(self, event, env)
        return self._requirements[key]

    # ------------------------------------------------------------ instances and lifts

    def instances(self, action: str, pair: Pair, word: NormWord) -> tuple[Instance, ...]:
        """The norms of this word that apply to the pair and aren't lifted. A price is of the word `forbid`."""
        key = (action, pair, word)
        if key not in self._instances:
            words: tuple[NormWord, ...] = ("forbid", "price") if word == "forbid" else (word,)
            norms = [norm for w in words for norm in self.board.index.norms.get((action, w), ())]
            self._instances[key] = tuple(i for norm in norms for i in self._of_norm(norm, action, pair))
        return self._instances[key]

    def _of_norm(self, norm: Norm, action: str, pair: Pair) -> Iterator[Instance]:
        f = self.factory
        if norm.word == "price" and norm.condition is None:
            return
        for carrier, env, when in self.occurrences(norm.block, norm.patterns, self._arguments(pair)):
            condition = self.truth(norm.condition, env)
            if norm.word == "price":
                condition = f.not_(condition)
            holds = f.and_(self.board.selector(norm.id), when, condition)
            if holds.is_false:
                continue
            holds = f.and_(holds, f.not_(self._lifted(norm, carrier, action, pair)))
            if not holds.is_false:
                yield Instance(norm, carrier, holds)

    def lifts(self, action: str, pair: Pair) -> list[tuple[Lift, Env, Term]]:
        """The lifts that may apply to the pair, with their names."""
        key = (action, pair)
        if key not in self._lifts:
            found: list[tuple[Lift, Env, Term]] = []
            for lift in self.board.index.lifts.get(action, ()):
                for _, env, when in self.occurrences(lift.block, lift.patterns, self._arguments(pair)):
                    applies = self.factory.and_(self.board.selector(lift.id), when, self.truth(lift.condition, env))
                    if not applies.is_false:
                        found.append((lift, env, applies))
            self._lifts[key] = found
        return self._lifts[key]

    def _lifted(self, norm: Norm, carrier: Atom, action: str, pair: Pair) -> Term:
        f = self.factory
        return f.any_of(
            f.and_(applies, self._victim(victim, norm, carrier, env))
            for lift, env, applies in self.lifts(action, pair)
            for victim in lift.victims
        )

    def _victim(self, victim: Victim, norm: Norm, carrier: Atom, env: Env) -> Term:
        f = self.factory
        match victim:
            case NamedVictim(blocks):
                return f.boolean(norm.block in blocks)
            case ClassVictim(word, strength, origin, owner):
                same = norm.word == word or (norm.word == "price" and word == "forbid")
                block = self.model.blocks[norm.block]
                if not same or (strength is not None and strength != norm.strength):
                    return f.false
                if origin is not None and block.what != ORIGINS[origin]:
                    return f.false
                if owner is None:
                    return f.true
                return self.symbolic.matches(self.value(owner, env), self.symbolic.atom(carrier))

    # ------------------------------------------------------------ the stages of a verdict

    def base(self, action: str, pair: Pair) -> Base:
        """The base verdict: requirements, then the levels of precedence."""
        key = (action, pair)
        if key in self._bases:
            known = self._bases[key]
            if known is None:
                raise RuntimeError(f"the verdict on {action}{pair} depends on itself")
            return known
        self._bases[key] = None
        f = self.factory
        possible = f.all_of(r.holds for r in self.required_of(action, pair))
        levels: list[Level] = []
        before: list[Term] = []
        for strength, word in self.model.precedence:
            found = tuple(i for i in self.instances(action, pair, word) if i.norm.strength == strength)
            hit = f.any_of(i.holds for i in found)
            levels.append(Level(word, f.and_(hit, f.not_(f.any_of(before))), found))
            before.append(hit)
            if hit.is_true:
                break
        permitted = f.any_of(level.decides for level in levels if level.word == "permit")
        barred = f.any_of(level.decides for level in levels if level.word == "forbid")
        result = Base(
            possible,
            f.and_(possible, permitted),
            f.and_(possible, barred),
            f.and_(possible, f.not_(f.any_of(before))),
            barred,
            tuple(levels),
        )
        self._bases[key] = result
        return result

    def _stage(self, action: str, pair: Pair, word: NormWord) -> Stage:
        """The pairs of the actor for which a norm of the word holds among those still permitted."""
        found: dict[Pair, Term] = {}
        if self.board.index.norms.get((action, word)):
            for other in self.pairs_of(action, pair):
                named = self.factory.any_of(i.holds for i in self.instances(action, other, word))
                if named.is_false:
                    continue
                if word == "steer":
                    term = self.factory.and_(named, self.base(action, other).permitted)
                else:
                    term = self.factory.and_(named, self._unsteered(action, other))
                if not term.is_false:
                    found[other] = term
        return Stage(found, self.factory.any_of(found.values()))

    def steering(self, action: str, pair: Pair) -> Stage:
        """The pairs of the actor that are steered to."""
        key = (action, pair[:1])
        if key not in self._steering:
            self._steering[key] = self._stage(action, pair, "steer")
        return self._steering[key]

    def duty(self, action: str, pair: Pair) -> Stage:
        """The pairs of the actor that are its duty."""
        key = (action, pair[:1])
        if key not in self._duties:
            self._duties[key] = self._stage(action, pair, "require")
        return self._duties[key]

    def _named(self, action: str, pair: Pair, word: NormWord) -> Term:
        return self.factory.any_of(i.holds for i in self.instances(action, pair, word))

    def _unsteered(self, action: str, pair: Pair) -> Term:
        """Permitted, steering considered."""
        f = self.factory
        permitted = self.base(action, pair).permitted
        if permitted.is_false:
            return permitted
        steered = self.steering(action, pair).any
        return f.and_(permitted, f.or_(f.not_(steered), self._named(action, pair, "steer")))

    def _away(self, action: str, pair: Pair) -> tuple[Term, Term]:
        """Forbidden by steering, forbidden by a duty."""
        f = self.factory
        permitted = self.base(action, pair).permitted
        if permitted.is_false:
            return f.false, f.false
        steered = self.steering(action, pair).any
        by_steering = f.and_(permitted, steered, f.not_(self._named(action, pair, "steer")))
        duty = self.duty(action, pair)
        left = f.and_(self._unsteered(action, pair), f.not_(duty.pairs.get(pair, f.false)))
        return by_steering, f.and_(left, duty.any)

    def verdict(self, action: str, pair: Pair) -> dict[Verdict, Term]:
        """The five verdicts on a pair, of which exactly one is true."""
        f = self.factory
        base = self.base(action, pair)
        required, permitted, forbidden = f.false, f.false, base.forbidden
        if not base.permitted.is_false:
            duty = self.duty(action, pair)
            required = duty.pairs.get(pair, f.false)
            permitted = f.and_(self._unsteered(action, pair), f.not_(duty.any))
            forbidden = f.or_(forbidden, *self._away(action, pair))
        return {
            "required": required,
            "permitted": permitted,
            "forbidden": forbidden,
            "not permitted": base.unmentioned,
            "impossible": f.not_(base.possible),
        }

    def legal(self, action: str, pair: Pair) -> Term:
        """Permitted or required."""
        verdict = self.verdict(action, pair)
        return self.factory.or_(verdict["permitted"], verdict["required"])

    def barred_by(self, action: str, pair: Pair, blocks: frozenset[str]) -> Term:
        """The norms say forbidden, and one that decides is of these blocks."""
        f = self.factory
        return f.any_of(
            f.and_(level.decides, f.any_of(i.holds for i in level.instances if i.norm.block in blocks))
            for level in self.base(action, pair).levels
            if level.word == "forbid"
        )

    def forbidden_by(self, action: str, pair: Pair, blocks: frozenset[str]) -> Term:
        """Forbidden, and an instance that decides is of these blocks."""
        f = self.factory
        base = self.base(action, pair)
        found = [f.and_(base.possible, self.barred_by(action, pair, blocks))]
        if not base.permitted.is_false:
            stages: list[tuple[NormWord, Stage]] = [
                ("steer", self.steering(action, pair)),
                ("require", self.duty(action, pair)),
            ]
            for away, (word, stage) in zip(self._away(action, pair), stages, strict=True):
                of_blocks = f.any_of(
                    f.and_(term, i.holds)
                    for other, term in stage.pairs.items()
                    for i in self.instances(action, other, word)
                    if i.norm.block in blocks
                )
                found.append(f.and_(away, of_blocks))
        return f.any_of(found)

    # ------------------------------------------------------------ questions

    def asked(self, question: e.Ask, env: Env) -> Term:
        """The answer, by cases of the arguments that aren't constant."""
        given = [None if a is None else self.value(a, env) for a in question.arguments]
        known = [n for n, value in enumerate(given) if value is not None]
        options: list[tuple[Term, Sym]] = []
        for values, when in self.symbolic.combinations([value for value in given if value is not None]):
            allowed = self._allowed(question.action, dict(zip(known, values, strict=True)))
            options.append((when, self._answer(question, allowed)))
        return self.symbolic.bool_term(self.symbolic.select(options))

    def _allowed(self, action: str, values: Mapping[int, Atom]) -> list[tuple[Atom, ...]]:
        """What each argument may be: the value given, if it can stand there, or all candidates."""
        every: list[tuple[Atom, ...]] = []
        for number, parameter in enumerate(self.model.events[action].parameters):
            if number not in values:
                every.append(self.board.values_of(parameter.type))
            else:
                value = values[number]
                every.append((value,) if self.board.admits(parameter.type, value) else ())
        return every

    def _answer(self, question: e.Ask, allowed: Sequence[tuple[Atom, ...]]) -> Term:
        f, action = self.factory, question.action
        pairs = list(itertools.product(*allowed))
        blocks = None if question.by is None else question.by.blocks
        match question.modality:
            case "can" | "cannot":
                able = self._any(self.legal(action, p) for p in pairs)
                return able if question.modality == "can" else f.not_(able)
            case "must" | "need not":
                bound = self._any(
                    self._must(action, actor, set(pairs)) for actor in dict.fromkeys(p[:1] for p in pairs)
                )
                return bound if question.modality == "must" else f.not_(bound)
            case "barred":
                if not pairs:
                    return f.false
                return self._all(
                    self.base(action, p).barred if blocks is None else self.barred_by(action, p, blocks) for p in pairs
                )
            case "forbidden" | "not permitted":
                found: list[Term] = []
                possible: list[Term] = []
                for pair in pairs:
                    impossible = f.not_(self.base(action, pair).possible)
                    if impossible.is_true:
                        continue
                    possible.append(f.not_(impossible))
                    if question.modality == "not permitted":
                        said = self.base(action, pair).unmentioned
                    elif blocks is None:
                        said = self.verdict(action, pair)["forbidden"]
                    else:
                        said = self.forbidden_by(action, pair, blocks)
                    found.append(f.or_(impossible, said))
                    if found[-1].is_false:
                        return f.false
                return f.and_(f.any_of(possible), *found)

    def _must(self, action: str, actor: Pair, asked: set[Pair]) -> Term:
        """The actor has a duty, and all pairs of it are among those asked for."""
        f = self.factory
        duty = self.duty(action, actor)
        return f.and_(duty.any, *(f.not_(term) for pair, term in duty.pairs.items() if pair not in asked))

    def happens(self, question: e.Happens, env: Env) -> Term:
        """Whether the event can happen; or that it can't, perhaps by a group or a deciding norm of some blocks."""
        f = self.factory
        event = self.model.events[question.event]
        arguments = [self.value(a, env) for a in question.arguments]
        if question.positive or question.by is None:
            possible = self.possible(question.event, arguments)
            return possible if question.positive else f.not_(possible)
        blocks = question.by.blocks
        options: list[tuple[Term, Sym]] = []
        for when, values in self.split(arguments):
            fine = admitted(self, event, values)
            if fine.is_false:
                options.append((when, fine))
                continue
            names = self.bind(event.parameters, values)
            failing: list[Term] = []
            before: list[Term] = []
            for requirement in requirements(self, event, names):
                if requirement.group in blocks:
                    failing.append(f.and_(*before, f.not_(requirement.holds)))
                before.append(requirement.holds)
            if event.action:
                failing += [
                    f.and_(chosen, self.forbidden_by(event.name, pair, blocks))
                    for pair, chosen in self.symbolic.combinations(values)
                    if all(self.board.admits(p.type, v) for p, v in zip(event.parameters, pair, strict=True))
                ]
            options.append((when, f.and_(fine, f.any_of(failing))))
        return self.symbolic.bool_term(self.symbolic.select(options))

    def triggers(self, question: e.Triggers, env: Env) -> Term:
        """Whether a clause of some blocks triggers on the event: asked of each case of the arguments by itself."""
        f = self.factory
        clauses = [x for x in self.board.index.triggers[question.event] if x.block in question.by.blocks]
        carrier = None if question.carrier is None else self.value(question.carrier, env)
        arguments = [self.value(a, env) for a in question.arguments]
        found: list[Term] = []
        for when, values in self.split(arguments) if clauses else ():
            happens = f.and_(when, self._comes_about(question.event, values))
            if happens.is_false:
                continue
            for clause in clauses:
                at, fine = self._after(question.event, values) if clause.after else (self, f.true)
                for holder, names, live in at.occurrences(clause.block, clause.patterns, values):
                    of = f.true if carrier is None else self.symbolic.matches(carrier, self.symbolic.atom(holder))
                    condition = at.truth(clause.condition, names) if not of.is_false else f.false
                    on = self.board.selector(clause.id)
                    found.append(f.and_(happens, fine, on, of, live, condition))
        return f.any_of(found)

    def _comes_about(self, name: str, values: Sequence[Sym]) -> Term:
        """The event can happen, and nothing replaces it."""
        f, event = self.factory, self.model.events[name]
        possible = self.possible(name, values)
        if possible.is_false:
            return possible
        env = self.bind(event.parameters, values)
        replaced = f.any_of(when for _, _, when in amending(self, self.board.index.replacing[name], event, env))
        return f.and_(possible, f.not_(replaced))

    def _after(self, name: str, values: Sequence[Sym]) -> tuple[Norms, Term]:
        """What holds after the event, and that it has no fault."""
        key = (name, tuple(self.symbolic.key(value) for value in values))
        if key not in self._followers:
            change = Change(self)
            event = self.model.events[name]
            change.run(event, self.bind(event.parameters, values))
            self._followers[key] = Norms(self.board, change.after()), self.factory.not_(change.fault)
        return self._followers[key]

    def possible(self, name: str, arguments: Sequence[Sym]) -> Term:
        """The event can happen: its requirements hold; of an action, the verdict is permitted or required."""
        f = self.factory
        event = self.model.events[name]
        env = self.bind(event.parameters, arguments)
        values = [env[p.name] for p in event.parameters]
        if event.action:
            return f.any_of(
                f.and_(when, self.legal(name, pair))
                for pair, when in self.symbolic.combinations(values)
                if all(self.board.admits(p.type, v) for p, v in zip(event.parameters, pair, strict=True))
            )
        fine = admitted(self, event, values)
        if fine.is_false:
            return fine
        return self._all(itertools.chain([fine], (r.holds for r in requirements(self, event, env))))

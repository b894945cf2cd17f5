"""Facts in words, English or Japanese. The model's own terms are shown where it gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from verify_rules.explain.texts import DENIED, SENTENCE, TEXTS, Language
from verify_rules.model import expr as e
from verify_rules.model.model import Model
from verify_rules.model.show import show, show_value
from verify_rules.model.types import BoolType, EnumType, RefType, Value, strip

# Questions about a verdict whose denial has a word of its own.
DENIAL: Mapping[str, str] = {"can": "cannot", "cannot": "can", "must": "need not", "need not": "must"}
Env = Mapping[str, Value]


class Words:
    """Says facts about a model in a language."""

    def __init__(self, model: Model, language: Language = "en") -> None:
        self.model = model
        self.language = language
        self._texts = TEXTS[language]

    def say(self, key: str, **parts: object) -> str:
        """A text of the table, filled in."""
        return self._texts[key].format(**parts)

    def listed(self, parts: Iterable[str]) -> str:
        """Several, as they are listed in a sentence."""
        return ("、" if self.language == "ja" else ", ").join(parts)

    def term(self, name: str) -> str:
        """The word for a name: in Japanese its term alone, in English the name with its term beside it."""
        term = self.model.terms.get(name.split("(")[0])
        if term is None or term == name:
            return name
        return term if self.language == "ja" else f"{name} ({term})"

    def plain(self, name: str) -> str:
        """The name as it stands inside a formula: never translated, so that it can be typed in again."""
        return name

    def value(self, value: Value) -> str:
        """A value in words."""
        if value is None and self.language == "ja":
            return "なし"
        name: Callable[[str], str] = self.term if isinstance(value, str) else self.plain
        return show_value(value, name)

    def quoted(self, value: Value) -> str:
        """A value inside a sentence: a Japanese term may be a sentence itself."""
        shown = self.value(value)
        return f"「{shown}」" if self.language == "ja" and isinstance(value, str) else shown

    def formula(self, expr: e.Expr, env: Env) -> str:
        """A formula in the language, values put in."""
        return show(expr, env, self.plain)

    def block(self, key: str, name: str, **parts: object) -> str:
        """That somebody (`o`) has an ability, or that an effect is on him; or not; or that nobody has it."""
        return self.say(key, b=self.term(name), **parts)

    def fact(self, expr: e.Expr, env: Env, truth: bool, value: Callable[[e.Expr], Any]) -> str:
        """What it means that the formula is true (or false); `value` evaluates formulas inside it."""
        return _Sentence(self, env, value).of(expr, truth)


class _Sentence:
    """Makes a sentence of a formula, where its local names have these values."""

    def __init__(self, words: Words, env: Env, value: Callable[[e.Expr], Any]) -> None:
        self.words = words
        self.say = words.say
        self.env = env
        self.value = value

    def of(self, expr: e.Expr, truth: bool) -> str:
        """The formula is true, or false."""
        match expr:
            case e.Not(body):
                return self.of(body, not truth)
            case e.Get(name, owner, index) if isinstance(expr.type, BoolType):
                return self._is(self.words.term(name), owner, index, truth)
            case e.StatusIs() if (told := self._block(expr, truth)) is not None:
                return told
            case e.StatusIs(name, (first,)) | e.DefineIs(name, (first,)) if _refers(first):
                return self._is(self.words.term(name), first, (), truth)
            case e.StatusIs(name) | e.DefineIs(name) if isinstance(expr.type, BoolType):
                return self._several(expr, name, truth)
            case e.Equal(e.ReadingValue(name), e.Const()):
                return self._reading(name, str(self.value(expr.left)))
            case e.Equal(left, right):
                return self._equal(left, right, truth) or self._plain(expr, truth)
            case e.IsOf(body, member):
                here = self.value(body)
                kind = member == self.words.model.kind or member in self.words.model.enums
                if truth or here is None or not kind:
                    return self._value(self._noun(body), here)
                return self.say("another", p=self._noun(body), v=self.words.value(here), w=self.words.term(member))
            case e.In(item, items) if not self._known(items):
                return self.say("in" if truth else "not_in", v=self._members([self.value(item)]), p=self._noun(items))
            case e.Meets(left, right) if not (self._known(left) and self._known(right)):
                return self._meets(*((right, left) if self._known(left) else (left, right)), truth)
            case e.Within(left, right) if not self._known(left):
                return self._within(left, right, truth)
            case e.AtMost(left, right) if not (self._known(left) and self._known(right)):
                return self._at_most(left, right, truth)
            case e.Ask(modality, action, arguments, None) if modality in DENIAL:
                asked = ", ".join("_" if a is None else self.words.formula(a, self.env) for a in arguments)
                return self.say(modality if truth else DENIAL[modality], f=f"{action}({asked})")
            case e.Happens(event, arguments, positive, None):
                asked = ", ".join(self.words.formula(a, self.env) for a in arguments)
                return self.say("possible" if positive == truth else "cannot happen", f=f"{event}({asked})")
            case _:
                return self._plain(expr, truth)

    def _plain(self, expr: e.Expr, truth: bool) -> str:
        return self.say("holds" if truth else "fails", f=self.words.formula(expr, self.env))

    def _is(self, term: str, owner: e.Expr | None, rest: tuple[e.Expr, ...], truth: bool) -> str:
        """Somebody (or the game as a whole) is so, or isn't."""
        if self.words.language == "ja":
            told = [self.words.value(self.value(r)) for r in rest]
            term = _predicate(term, truth) + (f"（{'、'.join(told)}）" if told else "")
        elif rest:
            term = f"{term} [{', '.join(self.words.value(self.value(r)) for r in rest)}]"
        if owner is None:
            return self.say("so" if truth else "not_so", p=term)
        return self.say("is" if truth else "is_not", o=self._object(owner), p=term)

    def _several(self, expr: e.StatusIs | e.DefineIs, name: str, truth: bool) -> str:
        """A status or definition of several arguments, or of none."""
        if not expr.arguments:
            return self._is(self.words.term(name), None, (), truth)
        term = self.words.model.terms.get(name)
        if term is None:
            return self._plain(expr, truth)
        formula = self.words.formula(expr, self.env)
        if self.words.language == "en":
            return self.say("several" if truth else "not_several", p=term, f=formula)
        first = expr.arguments[0]
        told = _predicate(term, truth)
        if _refers(first):
            told = self.say("is", o=self._object(first), p=told)
        return self.say("several", p=told, f=formula)

    def _block(self, expr: e.StatusIs, truth: bool) -> str | None:
        """Of a status that enlivens blocks: somebody has the ability, or the effect is on somebody."""
        status = self.words.model.statuses[expr.status]
        last = status.parameters[-1].type if status.parameters else None
        if not status.live or len(expr.arguments) != 2 or not isinstance(last, EnumType):
            return None
        what = "effect" if last.name == "Effect" else "ability"
        holder, block = expr.arguments
        return self.words.block(what if truth else f"no_{what}", str(self.value(block)), o=self._object(holder))

    def _reading(self, name: str, option: str) -> str:
        titles = {o.name: o.title for o in self.words.model.readings[name].options}
        title = self.say("title", t=titles[option]) if titles.get(option) else ""
        return self.say("reading", r=name, v=option, t=title)

    def _equal(self, left: e.Expr, right: e.Expr, truth: bool) -> str | None:
        if self._known(left):
            left, right = right, left
        if self._known(left):
            return None
        p, v = self._noun(left), self.words.value(self.value(left))
        other = self.value(right)
        w = self.words.value(other)
        if self._known(right):
            if truth or other is None or (self.value(left) is None and self.words.language == "ja"):
                return self._value(p, self.value(left))
            return self.say("another", p=p, v=v, w=w)
        q = self._noun(right)
        return self.say("both" if truth else "differ", p=p, q=q, v=v, w=w)

    def _value(self, noun: str, value: Value) -> str:
        if value is None:
            return self.say("none", p=noun)
        return self.say("value", p=noun, v=self.words.value(value))

    def _meets(self, left: e.Expr, right: e.Expr, truth: bool) -> str:
        here, wanted = self.value(left), self.value(right)
        if truth:
            return self.say("in", v=self._members(here & wanted), p=self._noun(left))
        if not wanted:
            return self.say("value", p=self._noun(right), v=self.words.value(wanted))
        key = "not_in" if len(wanted) == 1 else "none_in"
        return self.say(key, v=self._members(wanted), p=self._noun(left))

    def _within(self, left: e.Expr, right: e.Expr, truth: bool) -> str:
        here, around = self.value(left), self.value(right)
        p, w = self._noun(left), self._noun(right)
        if truth:
            return self.say("within", p=p, v=self.words.value(here), w=w)
        return self.say("in_only", v=self._members(here - around), p=p, w=w)

    def _members(self, members: Iterable[Value]) -> str:
        return self.words.listed(sorted(self.words.quoted(v) for v in members))

    def _at_most(self, left: e.Expr, right: e.Expr, truth: bool) -> str:
        """A comparison of numbers: what is known beforehand stands behind."""
        sign = "≤" if truth else ">"
        if self._known(left):
            left, right, sign = right, left, "≥" if truth else "<"
        w = str(self.value(right))
        if not self._known(right):
            w = f"{self._noun(right)} = {w}"
        return self.say("compared", p=self._noun(left), v=self.value(left), sign=sign, w=w)

    def _noun(self, expr: e.Expr) -> str:
        """What a formula stands for, as a noun."""
        match expr:
            case e.Get(name, owner, index):
                word = self.words.term(name)
                if index:
                    inside = self.words.listed(self.words.value(self.value(i)) for i in index)
                    word += f"（{inside}）" if self.words.language == "ja" else f" [{inside}]"
                return word if owner is None else self.say("of", p=word, o=self._object(owner))
            case e.DefineIs(name, (owner,)) if _refers(owner):
                return self.say("of", p=self.words.term(name), o=self._object(owner))
            case e.DefineIs(name, ()):
                return self.words.term(name)
            case _ if self._known(expr):
                return self.words.value(self.value(expr))
            case _:
                return self.words.formula(expr, self.env)

    def _known(self, expr: e.Expr) -> bool:
        """Whether a formula reads nothing of the state, and all its names have values."""
        constant = e.Const | e.Local | e.SetOf | e.Joined | e.Without | e.Construct
        return all(isinstance(inner, constant) for inner in e.walk(expr)) and e.free(expr) <= self.env.keys()

    def _object(self, expr: e.Expr) -> str:
        """Somebody: by name, and how he was found if that isn't his name."""
        shown = self.words.value(self.value(expr))
        # What was found by way of itself is named as if it had been meant.
        names = [x for x in e.walk(expr) if isinstance(x, e.Local | e.Const) and e.free(x) <= self.env.keys()]
        if any(self.value(x) == self.value(expr) for x in names):
            return shown
        if self.words.language == "ja":
            return f"{shown}（{self._noun(expr)}）"
        return f"{shown} ({self.words.formula(expr, self.env)})"


def _refers(expr: e.Expr) -> bool:
    return isinstance(strip(expr.type), RefType)


def _predicate(term: str, truth: bool) -> str:
    """A Japanese term as the end of a sentence: some are sentences already, and only some of these can be denied."""
    if truth:
        return term if term.endswith(SENTENCE) else f"{term}である"
    if not term.endswith(SENTENCE):
        return f"{term}ではない"
    for ending, denied in DENIED.items():
        if term.endswith(ending):
            return term.removesuffix(ending) + denied
    return f"「{term}」に該当しない"

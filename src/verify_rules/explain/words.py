"""Facts in words, English or Japanese. The model's own terms are shown where it gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from verify_rules.model import expr as e
from verify_rules.model.model import Model
from verify_rules.model.show import show, show_value
from verify_rules.model.types import BoolType, RefType, Value, strip

Language = Literal["en", "ja"]
LANGUAGES: tuple[Language, ...] = ("en", "ja")

# Everything that the tool says about facts, in both languages.
TEXTS: dict[str, dict[str, str]] = {
    "en": {
        "is": "{o} is {p}",
        "is_not": "{o} is not {p}",
        "value": "{p} of {o} is {v}",
        "global": "{p} is {v}",
        "not_value": "{p} of {o} is not {v}",
        "not_global": "{p} is not {v}",
        "in": "{v} is among {p} of {o}",
        "not_in": "{v} is not among {p} of {o}",
        "holds": "{f}",
        "fails": "not so: {f}",
        "count": "{f} (the count is {n})",
        "numbers": "{f} ({n})",
        "nobody": "nobody carries `{b}`",
        "carries_not": "{o} doesn't carry `{b}`",
        "reading": "the open point `{r}` is read as `{v}`",
        "likewise": "likewise for {v}",
        "no_duty": "nothing requires it",
        "lapsed": "a duty to {f} binds nobody, as this is {v}",
        "alike": "{x} and {y} are alike in everything but their clock",
        "unlike": "{x} and {y} are not alike: {p}",
        "verdict": "{f}: {v}",
        "required": "required",
        "permitted": "permitted",
        "forbidden": "forbidden",
        "not permitted": "not permitted",
        "impossible": "impossible",
    },
    "ja": {
        "is": "{o}は「{p}」",
        "is_not": "{o}は「{p}」でない",
        "value": "{o}の{p}は{v}",
        "global": "{p}は{v}",
        "not_value": "{o}の{p}は{v}でない",
        "not_global": "{p}は{v}でない",
        "in": "{o}の{p}に{v}がある",
        "not_in": "{o}の{p}に{v}がない",
        "holds": "{f}",
        "fails": "成り立たない：{f}",
        "count": "{f}（数は{n}）",
        "numbers": "{f}（{n}）",
        "nobody": "「{b}」を持つものがない",
        "carries_not": "{o}は「{b}」を持たない",
        "reading": "未確定の点「{r}」は「{v}」と読む",
        "likewise": "{v}についても同様",
        "no_duty": "強制するものがない",
        "lapsed": "{f}の強制は働かない（{v}）",
        "alike": "{x}と{y}は時の経過のほかは同じ",
        "unlike": "{x}と{y}は同じでない：{p}",
        "verdict": "{f}：{v}",
        "required": "強制",
        "permitted": "可能",
        "forbidden": "禁止",
        "not permitted": "許可なし",
        "impossible": "不可能",
    },
}


class Words:
    """Says facts about a model in a language."""

    def __init__(self, model: Model, language: Language = "en") -> None:
        self.model = model
        self.language = language
        self._texts = TEXTS[language]

    def say(self, key: str, **parts: object) -> str:
        """A text of the table, filled in."""
        return self._texts[key].format(**parts)

    def term(self, name: str) -> str:
        """The word for a name: in Japanese its term alone, in English the name with its term beside it."""
        term = self.model.terms.get(name.split("(")[0])
        if term is None:
            return name
        return term if self.language == "ja" else f"{name} ({term})"

    def plain(self, name: str) -> str:
        """The name as it stands inside a formula: never translated, so that it can be typed in again."""
        return name

    def value(self, value: Value) -> str:
        """A value in words."""
        name: Callable[[str], str] = self.term if isinstance(value, str) else self.plain
        return show_value(value, name)

    def formula(self, expr: e.Expr, env: Mapping[str, Value]) -> str:
        """A formula in the language, values put in."""
        return show(expr, env, self.plain)

    def fact(self, expr: e.Expr, env: Mapping[str, Value], truth: bool, value: Callable[[e.Expr], Any]) -> str:
        """What it means that the formula is true (or false); `value` evaluates formulas inside it."""
        match expr:
            case e.Get(name, owner, ()) if isinstance(expr.type, BoolType):
                subject = name if owner is None else self._object(owner, env, value)
                if owner is None:
                    return self.say("global" if truth else "not_global", p=self.term(name), v="true")
                return self.say("is" if truth else "is_not", o=subject, p=self.term(name))
            case e.StatusIs(name, (argument,)) | e.DefineIs(name, (argument,)) if self._refers(argument):
                subject = self._object(argument, env, value)
                return self.say("is" if truth else "is_not", o=subject, p=self.term(name))
            case e.Equal(e.ReadingValue(name), e.Const()):
                return self.say("reading", r=name, v=value(expr.left))
            case e.Equal(e.Get(name, owner, ()), right) if not isinstance(expr.left.type, RefType):
                parts = {"p": self.term(name), "v": self.value(value(right))}
                if owner is None:
                    return self.say("global" if truth else "not_global", **parts)
                subject = self._object(owner, env, value)
                return self.say("value" if truth else "not_value", o=subject, **parts)
            case e.In(item, e.Get(name, owner, ())) if owner is not None:
                subject = self._object(owner, env, value)
                parts = {"o": subject, "p": self.term(name), "v": self.value(value(item))}
                return self.say("in" if truth else "not_in", **parts)
            case e.AtMost(e.Count() as left, _) | e.AtMost(_, e.Count() as left):
                text = self.formula(expr if truth else e.Not(expr), env)
                return self.say("count", f=text, n=value(left))
            case e.AtMost(left, right):
                text = self.formula(expr if truth else e.Not(expr), env)
                sides = [(self.formula(x, env), str(value(x))) for x in (left, right)]
                numbers = ", ".join(f"{side} = {number}" for side, number in sides if side != number)
                return self.say("numbers", f=text, n=numbers) if numbers else text
            case e.Happens(event, arguments, _, None):
                happens = e.Happens(event, arguments, expr.positive == truth)
                return self.formula(happens, env)
            case e.Not(body):
                return self.fact(body, env, not truth, value)
            case _:
                return self.say("holds" if truth else "fails", f=self.formula(expr, env))

    def _refers(self, expr: e.Expr) -> bool:
        return isinstance(strip(expr.type), RefType)

    def _object(self, expr: e.Expr, env: Mapping[str, Value], value: Callable[[e.Expr], Any]) -> str:
        found = value(expr)
        shown = self.value(found)
        text = self.formula(expr, env)
        return shown if text == shown else f"{text} = {shown}"

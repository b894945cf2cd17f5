"""Typed formulas as text in the language, with the values of local names put in where they are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from verify_rules.model import expr as e
from verify_rules.model.types import Value

# How tightly each construct binds; what is looser than its surroundings gets parentheses.
_LOOSE, _OR, _AND, _NOT, _COMPARE, _SUM, _TIGHT = range(7)


def show_value(value: Value, name: Callable[[str], str] = str) -> str:
    """A value as it is written; `name` turns a symbol into the word to show."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(show_value(v, name) for v in value)) + "}"
    return name(value) if isinstance(value, str) else str(value)


def show(expr: e.Expr, env: Mapping[str, Value] | None = None, name: Callable[[str], str] = str) -> str:
    """The formula; locals that `env` knows are shown by their value."""
    return _show(expr, env or {}, name, _LOOSE)


def _wrap(text: str, binds: int, around: int) -> str:
    return f"({text})" if binds < around else text


def _arguments(arguments: tuple[e.Expr | None, ...], env: Mapping[str, Value], name: Callable[[str], str]) -> str:
    return ", ".join("_" if a is None else _show(a, env, name, _LOOSE) for a in arguments)


def _show(expr: e.Expr, env: Mapping[str, Value], name: Callable[[str], str], around: int) -> str:
    def sub(inner: e.Expr, level: int) -> str:
        return _show(inner, env, name, level)

    match expr:
        case e.Const(value):
            return show_value(value, name)
        case e.Local(local):
            return show_value(env[local], name) if local in env else local
        case e.Get(variable, owner, index):
            text = name(variable) if owner is None else f"{sub(owner, _TIGHT)}.{name(variable)}"
            return text + "".join(f"[{sub(i, _LOOSE)}]" for i in index)
        case e.ReadingValue(reading):
            return reading
        case e.Construct(word, arguments) | e.StatusIs(word, arguments):
            return f"{name(word)}({_arguments(arguments, env, name)})"
        case e.DefineIs(word, arguments):
            return f"{name(word)}({_arguments(arguments, env, name)})" if arguments else name(word)
        case e.Not(e.Equal(left, right)):
            return _wrap(f"{sub(left, _SUM)} ≠ {sub(right, _SUM)}", _COMPARE, around)
        case e.Not(e.AtMost(left, right)):
            return _wrap(f"{sub(left, _SUM)} > {sub(right, _SUM)}", _COMPARE, around)
        case e.Not(body):
            return _wrap(f"not {sub(body, _NOT)}", _NOT, around)
        case e.And(items):
            return _wrap(" and ".join(sub(x, _NOT) for x in items), _AND, around)
        case e.Or((e.Not(left), right)):
            return _wrap(f"{sub(left, _OR)} implies {sub(right, _OR)}", _LOOSE, around)
        case e.Or(items):
            return _wrap(" or ".join(sub(x, _AND) for x in items), _OR, around)
        case e.Equal(left, right):
            return _wrap(f"{sub(left, _SUM)} = {sub(right, _SUM)}", _COMPARE, around)
        case e.AtMost(left, right):
            return _wrap(f"{sub(left, _SUM)} ≤ {sub(right, _SUM)}", _COMPARE, around)
        case e.In(item, items_set):
            return _wrap(f"{sub(item, _SUM)} in {sub(items_set, _SUM)}", _COMPARE, around)
        case e.Meets(left, right):
            return _wrap(f"{sub(left, _SUM)} meets {sub(right, _SUM)}", _COMPARE, around)
        case e.Within(left, right):
            return _wrap(f"{sub(left, _SUM)} within {sub(right, _SUM)}", _COMPARE, around)
        case e.SetOf(items):
            return "{" + ", ".join(sub(x, _LOOSE) for x in items) + "}"
        case e.Joined(left, right):
            return _wrap(f"{sub(left, _SUM)} + {sub(right, _TIGHT)}", _SUM, around)
        case e.Without(left, right):
            return _wrap(f"{sub(left, _SUM)} - {sub(right, _TIGHT)}", _SUM, around)
        case e.Sum(left, right, negative):
            return _wrap(f"{sub(left, _SUM)} {'-' if negative else '+'} {sub(right, _TIGHT)}", _SUM, around)
        case e.IfElse(condition, yes, no):
            text = f"if {sub(condition, _LOOSE)} then {sub(yes, _LOOSE)} else {sub(no, _LOOSE)}"
            return _wrap(text, _LOOSE, around)
        case e.Count(bound, body):
            return f"count({_bound(bound, env, name)}. {_body(bound, body, env, name)})"
        case e.Some(bound, body) | e.All(bound, body) | e.UnionOver(bound, body):
            word = {"Some": "some", "All": "all", "UnionOver": "union"}[type(expr).__name__]
            return _wrap(f"{word} {_bound(bound, env, name)}. {_body(bound, body, env, name)}", _LOOSE, around)
        case e.IsOf(body, member):
            return _wrap(f"{sub(body, _SUM)} is {member}", _COMPARE, around)
        case e.Contains(body, word, action):
            return _wrap(f"{sub(body, _SUM)} {word}s {action}", _COMPARE, around)
        case e.Ask(modality, action, asked, by):
            return f"{modality} {action}({_arguments(asked, env, name)})" + (f" by {by.text}" if by else "")
        case e.Happens(event, arguments, positive, by):
            word = "possible" if positive else "impossible"
            return f"{word} {event}({_arguments(arguments, env, name)})" + (f" by {by.text}" if by else "")

        case e.Triggers(by, carrier, event, arguments):
            of = "" if carrier is None else f" of {sub(carrier, _TIGHT)}"
            return f"triggers {by.text}{of} on {event}({_arguments(arguments, env, name)})"


def _bound(bound: e.Bound, env: Mapping[str, Value], name: Callable[[str], str]) -> str:
    if bound.domain is None:
        return f"{bound.name}: {bound.type}"
    return f"{bound.name} in {_show(bound.domain, env, name, _TIGHT)}"


def _body(bound: e.Bound, body: e.Expr, env: Mapping[str, Value], name: Callable[[str], str]) -> str:
    inner = {k: v for k, v in env.items() if k != bound.name}
    return _show(body, inner, name, _LOOSE)

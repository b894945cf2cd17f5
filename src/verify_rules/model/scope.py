"""What a formula may use: local names, the cards of a scenario, and what is known of types where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from verify_rules.model import expr as e
from verify_rules.model.names import Names
from verify_rules.model.types import Obj, OptionalType, Type


@dataclass(frozen=True)
class Scope:
    """What a formula may use: local names, the cards of a scenario, and what is known of types here.

    `verdicts` says why verdicts can't be asked for, and is empty where they can. `parameters` are those of the ability
    or effect: explanations name their values, so no bound name may hide them. `suspect` are names that something with
    an error would have bound.
    """

    locals: Mapping[str, Type] = field(default_factory=dict)
    objects: Mapping[str, Obj] = field(default_factory=dict)
    known: Mapping[e.Expr, Type] = field(default_factory=dict)
    verdicts: str = ""
    parameters: frozenset[str] = frozenset()
    suspect: frozenset[str] = frozenset()

    def suspecting(self, names: Iterable[str]) -> Scope:
        """The scope in which the use of these names is no further error."""
        return replace(self, suspect=self.suspect.union(names))

    def bind(self, name: str, type: Type) -> Scope:
        """The scope with one more local name."""
        known = {x: y for x, y in self.known.items() if not _mentions(x, name)}
        return replace(self, locals={**self.locals, name: type}, known=known, suspect=self.suspect - {name})

    def learn(self, facts: Mapping[e.Expr, Type]) -> Scope:
        """The scope in which these expressions are known to be of these types."""
        return replace(self, known={**self.known, **facts}) if facts else self


def _mentions(expr: e.Expr, name: str) -> bool:
    return any(isinstance(x, e.Local) and x.name == name for x in e.walk(expr))


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

"""Hypothesis strategies for syntax trees: every kind of item, every construct of the grammar.

What a strategy leaves out, the language can't say: a name that is a word of the grammar, a text with a quotation mark
or a line end in it, an `implies` of three, an argument that is both labelled and `_`, a negative bound of `int`, and
two of a thing where one is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import cache
from importlib import resources
from typing import Any, TypeVar

from hypothesis import strategies as st

from verify_rules.parse import tree as t

T = TypeVar("T")

# Some of these begin with a word of the grammar, or are one in a place where it can't stand.
NAMES = [
    "a", "b", "c", "x", "y", "zone", "owner", "turn_player", "attacker", "me", "player", "none", "self",
    "variant", "notable", "inner", "android", "order", "islands", "sometimes", "allow", "countess", "unions",
    "iffy", "cannot_attack", "must_attack", "possibly", "forbidden_zone", "barred_", "needs", "whenever", "thence",
    "elsewhere", "bystander", "meets_", "withinn", "forbidsx", "opening", "stepson", "rules_of", "cardsx", "_x", "T2",
]  # fmt: skip
TYPES = ["Card", "Player", "Zone", "Ability", "Target", "Until"]
TEXTS = ["", "a title", "召喚酔い", "it -- isn't a comment", "rule x", "https://example.org/a?b=c#d", "a: b, {c}", "`"]


@cache
def grammar_words() -> frozenset[str]:
    """The words that the grammar itself uses, as strings or in the patterns of its terminals."""
    grammar = resources.files("verify_rules.parse").joinpath("rulebook.lark").read_text(encoding="utf-8")
    grammar = re.sub(r"//[^\n]*", "", grammar)
    words = set(re.findall(r'"([a-z_]+)"', grammar))
    words |= {word for part in re.findall(r"/([^/\n]*)/", grammar) for word in re.findall(r"[a-z]{2,}", part)}
    return frozenset(words)


names = st.sampled_from(NAMES)
types = st.sampled_from(TYPES)
texts = st.sampled_from(TEXTS) | st.text(alphabet="abc 酔い-,.:{}()`'", max_size=90)
maybe_text = st.none() | texts
hyphenated = st.sampled_from(["seed-base", "a", "x-2-b", "kind-of", "no-script"]) | names
versions = st.sampled_from(["1.50", "1.40", "0.1"])
days = st.dates(date(1999, 1, 1), date(2030, 12, 31))
maybe_day = st.none() | days
sources = st.sampled_from(["CR", "FAQ"])


def tuples(strategy: st.SearchStrategy[T], least: int = 0, most: int = 3) -> st.SearchStrategy[tuple[T, ...]]:
    """Tuples of one length or another."""
    return st.lists(strategy, min_size=least, max_size=most).map(tuple)


citations = st.builds(t.Citation, sources, texts, st.none() | versions)
numbers = st.builds(t.Number, st.integers(-99, 99000))
plain_names = st.builds(t.Name, names | st.just("forbidden"))


def _compound(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """The formulas with these as their parts."""
    arguments = (
        st.builds(t.Argument, st.none())
        | st.builds(t.Argument, inner)
        | st.builds(t.Argument, inner, names)
    )  # fmt: skip
    calls = st.builds(t.Call, names, tuples(arguments))
    binders = st.builds(t.Binder, names, types) | st.builds(t.Binder, names, st.none(), inner)
    operators = st.sampled_from(["=", "≠", "<", "≤", ">", "≥", "in", "meets", "within", "+", "-"])
    modalities = st.sampled_from(
        ["can", "cannot", "must", "need not", "forbidden", "not permitted", "impossible", "possible", "barred"]
    )
    return st.one_of(
        st.builds(t.SetLiteral, tuples(inner)),
        calls,
        st.builds(t.Access, inner, names),
        st.builds(t.Index, inner, inner),
        st.builds(t.Negation, inner),
        st.builds(t.Chain, st.sampled_from(["and", "or", "iff"]), tuples(inner, 2, 4)),
        st.builds(t.Chain, st.just("implies"), tuples(inner, 2, 2)),
        st.builds(t.Binary, operators, inner, inner),
        st.builds(t.IsA, inner, types),
        st.builds(t.Contains, inner, st.sampled_from(["forbids", "permits"]), names),
        st.builds(t.IfElse, inner, inner, inner),
        st.builds(t.Quantified, st.sampled_from(["some", "all", "count", "union"]), binders, inner),
        st.builds(t.Verdict, modalities, calls, st.none() | plain_names | citations),
        st.builds(t.Triggers, st.builds(t.Name, names), st.none() | inner, calls),
    )


exprs: st.SearchStrategy[Any] = st.recursive(plain_names | numbers, _compound, max_leaves=10)
small: st.SearchStrategy[Any] = st.recursive(plain_names | numbers, _compound, max_leaves=3)
maybe_expr = st.none() | small
arguments = st.builds(t.Argument, st.none()) | st.builds(t.Argument, small) | st.builds(t.Argument, small, names)
calls = st.builds(t.Call, names, tuples(arguments))

simple_types = st.one_of(
    st.builds(t.TypeBool),
    st.builds(t.TypeInt, st.integers(0, 9), st.integers(0, 99000)),
    st.builds(t.TypeName, types),
    st.builds(t.TypeOptional, types),
    st.builds(t.TypeSet, types),
)
type_exprs = simple_types | st.builds(t.TypePer, types, simple_types)
parameters = tuples(st.builds(t.Parameter, names, st.none() | type_exprs, maybe_expr))
notes = st.builds(t.Notes, tuples(citations, 0, 2), maybe_day, maybe_day)

# ---------------------------------------------------------------- vocabulary

games = st.builds(t.Game, texts)
source_items = st.builds(t.Source, sources, maybe_text, tuples(st.builds(t.SourceVersion, versions, maybe_day), 1, 9))
members = st.builds(t.Member, names, tuples(types, 0, 2), st.just(None) | maybe_text)
enums = st.builds(t.Enum, types, maybe_text, tuples(members, 0, 4) | tuples(st.builds(t.Member, names), 0, 40))
fields = st.builds(
    t.Field, tuples(names, 1, 4), type_exprs, maybe_expr, maybe_text, st.booleans(), tuples(names, 0, 2), st.booleans()
)
kinds = st.builds(t.Kind, types, maybe_text, tuples(fields))
variables = st.builds(t.Var, st.builds(t.Field, tuples(names, 1, 4), type_exprs, maybe_expr, maybe_text, st.just(True)))
unions = st.builds(t.Union, types, maybe_text, tuples(names | types, 1, 30))
invariants = st.builds(t.Invariant, st.none() | names, maybe_text, exprs)
defines = st.builds(t.Define, names, parameters, maybe_text, exprs)
statuses = st.builds(t.Status, names, parameters, maybe_text, st.booleans())

# ---------------------------------------------------------------- events

requires = st.builds(t.Requires, maybe_text, exprs)
resets = st.builds(t.Resets, small, tuples(names))
sets = st.builds(t.Sets, tuples(st.builds(t.Assign, small, small, maybe_expr), 1, 4))
carries = st.builds(t.Carries, small, small)
does = st.builds(t.Does, calls, maybe_expr)
for_each = st.builds(t.ForEach, names, types, maybe_expr, tuples(st.one_of(resets, sets, carries), 1, 3))
parts: st.SearchStrategy[Any] = st.one_of(requires, resets, sets, carries, does, for_each)
groups = st.builds(t.Group, names, maybe_text, notes, tuples(parts))
nested = st.builds(t.Group, names, maybe_text, notes, tuples(parts | groups))
events = st.builds(t.Event, names, parameters, maybe_text, tuples(parts | nested, 0, 4), st.booleans())

# ---------------------------------------------------------------- blocks

words = st.sampled_from(["permit", "forbid", "require", "steer", "price"])
strengths = st.sampled_from(["card", "rule"]).filter(lambda name: name not in ("rule",)) | names
patterns = st.builds(t.Pattern) | st.builds(t.Pattern, small) | st.builds(t.Pattern, st.none(), names, types)
heads = st.builds(t.Head, names, tuples(patterns))
status_clauses = st.builds(t.StatusClause, heads, maybe_expr | exprs, st.booleans())
norms = st.builds(t.Norm, words, heads, st.none() | strengths, maybe_text, maybe_expr | exprs)
victims = st.one_of(
    st.builds(t.Victim, st.sampled_from(["rule", "ability", "effect"]), names),
    st.builds(
        t.Victim,
        st.just("class"),
        st.none(),
        st.none() | strengths,
        words,
        st.sampled_from([None, "rules", "effects", "abilities"]),
    ),
    st.builds(t.Victim, st.just("class"), st.none(), st.none(), words, st.just("abilities"), small),
)
lifts = st.builds(t.Lifts, tuples(victims, 1, 4), heads, maybe_expr)
amends = st.builds(
    t.Amends,
    st.sampled_from(["also", "instead"]),
    heads,
    maybe_expr,
    tuples(st.one_of(resets, sets, carries, does, for_each), 1, 3),
    st.none() | strengths,
)
triggers = st.builds(t.TriggerClause, st.booleans(), heads, maybe_expr)
clauses = tuples(st.one_of(status_clauses, norms, lifts, amends, triggers))
rules = st.builds(t.Block, st.just("rule"), names, maybe_text, notes, clauses)
abilities = st.builds(t.Block, st.just("ability"), names, maybe_text, notes, clauses, parameters)
effects = st.builds(t.Block, st.just("effect"), names, maybe_text, notes, clauses, parameters, st.none() | types)
precedences = st.builds(t.Precedence, tuples(st.builds(t.Level, strengths, words), 1, 9))
readings = st.builds(
    t.Reading, names, maybe_text, notes, tuples(st.builds(t.Option, names, maybe_text, st.booleans()), 1, 4)
)

# ---------------------------------------------------------------- scenarios

setups = st.builds(
    t.Setup,
    names,
    types,
    st.none() | names,
    maybe_expr,
    maybe_expr,
    maybe_expr,
    st.none() | calls,
    tuples(calls),
    tuples(st.builds(t.SetupFlag, names, calls)),
)
grants = st.builds(t.Grant, names, tuples(small, 0, 2)) | st.builds(t.Grant, unknown=st.just(True))
values = (
    st.builds(t.CardValue, names, maybe_expr)
    | st.builds(t.CardValue, names, st.none(), tuples(small, 1, 3))
)  # fmt: skip
cards = st.builds(t.Card, texts, notes, tuples(names, 1, 3), tuples(grants), tuples(values), maybe_text)


@st.composite
def entries(draw: st.DrawFn) -> t.Entry:
    """A line of `cards`."""
    named = draw(st.booleans())
    in_play = draw(st.booleans())
    return t.Entry(
        draw(names),
        () if named else draw(tuples(names | st.just("forbidden"), 1, 3)),
        draw(texts) if named else None,
        draw(tuples(grants)),
        draw(st.none() | names),
        in_play,
        draw(tuples(names, 0, 2)) if in_play else (),
        draw(tuples(names, 0, 2)) if in_play else (),
        draw(tuples(values)),
    )


expectations = st.one_of(
    st.builds(t.ExpectFormula, exprs),
    st.builds(t.ExpectOpen, exprs),
    st.builds(t.ExpectRepaired, names, names),
    st.builds(t.ExpectNotRepairable),
)
steps = st.builds(t.Step, calls)
mistakes = st.builds(t.Mistaken, calls)
script_lines = st.one_of(
    steps,
    st.just(t.UnknownSteps(1)),
    st.builds(t.UnknownSteps, st.integers(0, 9), st.just(True)),
    mistakes,
    st.builds(t.Expect, expectations),
    st.builds(t.Unchecked, texts),
)
metas = st.builds(
    t.Meta,
    tuples(texts, 0, 2),
    maybe_text,
    maybe_day,
    st.none() | names,
    st.none() | names,
    maybe_day,
    maybe_day,
    maybe_text,
    maybe_text,
)
rulings = st.builds(
    t.Ruling,
    st.sampled_from(["ruling", "scenario"]),
    hyphenated,
    maybe_text,
    metas,
    tuples(entries()),
    tuples(script_lines, 0, 4),
)
claims = st.builds(
    t.Claim,
    hyphenated,
    maybe_text,
    metas | st.just(t.Meta()),
    st.sampled_from(["always", "never", "possible"]),
    exprs,
)
givens = st.builds(t.Given, tuples(entries()), tuples(st.one_of(steps, mistakes)))

ITEMS: dict[str, st.SearchStrategy[Any]] = {
    "game": games,
    "source": source_items,
    "enum": enums,
    "kind": kinds,
    "var": variables,
    "union": unions,
    "invariant": invariants,
    "define": defines,
    "status": statuses,
    "event": events,
    "rule": rules,
    "ability": abilities,
    "effect": effects,
    "precedence": precedences,
    "reading": readings,
    "setup": setups,
    "card": cards,
    "ruling": rulings,
    "claim": claims,
}
"""A strategy for each kind of item, by the word that it begins with."""

items: st.SearchStrategy[Any] = st.one_of(*ITEMS.values())

# ---------------------------------------------------------------- text with comments

SHAPES: list[Callable[[str], str]] = [
    lambda text: text,
    lambda text: f"{text}  -- behind",
    lambda text: f'{text} -- a "quote',
    lambda text: f"{text}\n",
    lambda text: f"  -- above\n{text}",
    lambda text: f"\n      -- above, deep\n\n{text}",
    lambda text: f"-- at the margin\n{text}",
]


@st.composite
def commented(draw: st.DrawFn, text: str) -> str:
    """The text with comments and empty lines put between its lines, and some of its spaces made into line ends."""
    result = []
    for number, line in enumerate(text.split("\n")):
        pieces = [line]
        if draw(st.integers(0, 3)) == 0:
            pieces = _split(line)
        for i, piece in enumerate(pieces):
            begins = number == 0 and i == 0
            deep = "" if i == 0 else "      "
            shape = draw(st.sampled_from(SHAPES[:4] if begins else SHAPES))
            result.append(shape(deep + piece))
    return "\n".join(result)


def _split(line: str) -> list[str]:
    """The line cut in two at a space outside of a text, or whole."""
    for match in re.finditer(r'"[^"]*"| (when|and|or|cites|with|then) ', line):
        if match.group(1) and line[: match.start()].strip():
            return [line[: match.start()], line[match.start() + 1 :]]
    return [line]

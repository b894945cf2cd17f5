"""The syntax tree: one class per construct of `rulebook.lark`, nothing resolved yet.

Two trees are equal when they say the same, wherever they stand: spans take no part in comparison. The printer
(`printer.py`) is the inverse of the parser on these classes. They stand in three modules, in the order of the grammar's
chapters (`tree_formulas`, `tree_declarations`, `tree_scenarios`); all of them are to be had here.
"""

from __future__ import annotations

from dataclasses import dataclass

from verify_rules.parse.tree_declarations import (
    Amends as Amends,
    Assign as Assign,
    Block as Block,
    Carries as Carries,
    Clause as Clause,
    Define as Define,
    Does as Does,
    Enum as Enum,
    Event as Event,
    Field as Field,
    ForEach as ForEach,
    Game as Game,
    Group as Group,
    Head as Head,
    Invariant as Invariant,
    Kind as Kind,
    Level as Level,
    Lifts as Lifts,
    Member as Member,
    Norm as Norm,
    NormWord as NormWord,
    Notes as Notes,
    Option as Option,
    Part as Part,
    Pattern as Pattern,
    Precedence as Precedence,
    Reading as Reading,
    Requires as Requires,
    Resets as Resets,
    Sets as Sets,
    Source as Source,
    SourceVersion as SourceVersion,
    Status as Status,
    StatusClause as StatusClause,
    TriggerClause as TriggerClause,
    Union as Union,
    Var as Var,
    Victim as Victim,
)
from verify_rules.parse.tree_formulas import (
    Access as Access,
    Argument as Argument,
    Binary as Binary,
    Binder as Binder,
    Call as Call,
    Chain as Chain,
    Citation as Citation,
    Contains as Contains,
    Expr as Expr,
    IfElse as IfElse,
    Index as Index,
    IsA as IsA,
    Modality as Modality,
    Name as Name,
    Negation as Negation,
    Node as Node,
    Number as Number,
    Parameter as Parameter,
    Quantified as Quantified,
    SetLiteral as SetLiteral,
    Triggers as Triggers,
    TypeBool as TypeBool,
    TypeExpr as TypeExpr,
    TypeInt as TypeInt,
    TypeName as TypeName,
    TypeOptional as TypeOptional,
    TypePer as TypePer,
    TypeSet as TypeSet,
    Verdict as Verdict,
)
from verify_rules.parse.tree_scenarios import (
    Card as Card,
    CardValue as CardValue,
    Claim as Claim,
    Entry as Entry,
    Expect as Expect,
    ExpectFormula as ExpectFormula,
    ExpectNotRepairable as ExpectNotRepairable,
    ExpectOpen as ExpectOpen,
    ExpectRepaired as ExpectRepaired,
    Expectation as Expectation,
    Given as Given,
    Grant as Grant,
    Meta as Meta,
    Mistaken as Mistaken,
    Ruling as Ruling,
    ScriptLine as ScriptLine,
    Setup as Setup,
    SetupFlag as SetupFlag,
    Step as Step,
    Unchecked as Unchecked,
    UnknownSteps as UnknownSteps,
)

Item = (
    Game
    | Source
    | Enum
    | Kind
    | Var
    | Union
    | Invariant
    | Define
    | Status
    | Event
    | Block
    | Precedence
    | Reading
    | Setup
    | Card
    | Ruling
    | Claim
)


@dataclass(frozen=True)
class Broken:
    """An item that can't be read: the word that it begins with, and the words that it may have declared.

    What uses these is not wrong because of that, and is passed over without a further error.
    """

    keyword: str
    words: frozenset[str]


@dataclass(frozen=True)
class Document:
    """The items of one file, in order, and what is known of those that can't be read."""

    path: str
    items: tuple[Item, ...]
    broken: tuple[Broken, ...] = ()

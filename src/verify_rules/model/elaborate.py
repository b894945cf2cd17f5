"""Documents → model: declarations collected, every formula typed, in passes that each need only the ones before."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, NoReturn, cast

from verify_rules.diagnostics import Related, Reporter
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.names import BUILT_IN, LARGEST_ENUM, Names
from verify_rules.model.scenario import Scenarios
from verify_rules.model.types import (
    ABILITY,
    BOOL,
    EFFECT,
    EnumType,
    IntType,
    OptionalType,
    PerType,
    RefType,
    SetType,
    Type,
    Value,
)
from verify_rules.model.typing import Faulty, Scope, Typer
from verify_rules.parse import tree as t
from verify_rules.source import NOWHERE, SourceFile, Span

NO_VERDICT_IN_STATUS = "statuses come before norms (a status can't depend on what is permitted)"


def in_force(notes: t.Notes, as_of: date | None) -> bool:
    """Whether something dated is in force on a day; without one, whether it is in force in the newest version."""
    if as_of is None:
        return notes.until is None
    return (notes.since is None or notes.since <= as_of) and (notes.until is None or as_of < notes.until)


class Elaborator:
    """Builds one model. Errors go to the reporter; what has an error is left out, so that others are found too."""

    def __init__(
        self, documents: Sequence[t.Document], files: Mapping[str, SourceFile], reporter: Reporter, as_of: date | None
    ) -> None:
        self.items: list[t.Item] = [item for document in documents for item in document.items]
        self.files = dict(files)
        self.reporter = reporter
        self.as_of = as_of
        self.names = Names()
        self.typer = Typer(self.names, reporter, self._define_of)
        self.terms: dict[str, str] = {}
        self.places: dict[tuple[str, str], Span] = {}
        self.defining: list[str] = []
        self.define_trees: dict[str, t.Define] = {}
        self.typer.define_names = self.define_trees
        self.field_trees: list[tuple[t.Field, bool]] = []
        self.status_clauses: dict[str, list[m.StatusClause]] = {}
        self.norms: dict[str, list[m.Norm]] = {}
        self.lifts: dict[str, list[m.Lift]] = {}
        self.precedence: tuple[tuple[str, m.NormWord], ...] = ()
        self.title = ""

    # ------------------------------------------------------------ the passes

    def build(self, hash: str) -> m.Model | None:
        """The model, or None if something that it can't do without is missing."""
        self._vocabulary()
        if not self.names.kind:
            return None
        self._block_headers()
        self._types_of_fields()
        self._signatures()
        self._defaults()
        self._defines()
        self._clauses()
        self._event_parts()
        invariants = self._invariants()
        setup = self._setup()
        if setup is None:
            return None
        model = m.Model(
            self.title,
            self.names.kind,
            self.names.sources,
            {name: tuple(table.values()) for name, table in self.names.enums.items()},
            self.names.unions,
            self.names.variables,
            self.names.defines,
            self.names.statuses,
            self.names.events,
            self.names.blocks,
            {name: tuple(clauses) for name, clauses in self.status_clauses.items()},
            {name: tuple(norms) for name, norms in self.norms.items()},
            {name: tuple(lifts) for name, lifts in self.lifts.items()},
            self.precedence,
            self.names.readings,
            setup,
            {},
            invariants,
            (),
            (),
            self.terms,
            self.names.constructors,
            self.files,
            hash,
            self.as_of,
            self.names.dormant,
        )
        return Scenarios(model, self.files, self.reporter).add(self.items)

    def _of(self, *classes: type) -> list[Any]:
        return [item for item in self.items if isinstance(item, classes)]

    def _declare(self, space: str, name: str, span: Span, what: str) -> bool:
        """Note a declaration; False (and an error with both places) if the name is taken in its space."""
        if name in BUILT_IN:
            self.reporter.report("duplicate", f"`{name}` is a word of the language", span, "Choose another name.")
            return False
        first = self.places.setdefault((space, name), span)
        if first is not span:
            self.reporter.report(
                "duplicate",
                f"there is already {what} called `{name}`",
                span,
                "Rename or remove one of the two.",
                [Related(first, "the other one")],
            )
            return False
        return True

    def _term(self, name: str, term: str | None) -> None:
        if term:
            self.terms.setdefault(name, term)

    # ------------------------------------------------------------ vocabulary

    def _vocabulary(self) -> None:
        names = self.names
        games, kinds = self._of(t.Game), self._of(t.Kind)
        self.title = games[0].title if games else ""
        for game in games[1:]:
            self._twice(game.span, games[0].span, "a model is of one game")
        for kind in kinds[1:]:
            self._twice(kind.span, kinds[0].span, "a model has one `kind` (docs/decisions/0005-one-kind.md)")
        if not games:
            self._missing('`game "…"`, the name of the game')
        if not kinds:
            self._missing("`kind NAME { … }`, what the game is played with")
            return
        names.kind = kinds[0].name
        self._declare("type", names.kind, kinds[0].span, "a type")
        self._term(names.kind, kinds[0].term)
        for source in self._of(t.Source):
            if self._declare("source", source.name, source.span, "a source"):
                versions = tuple(m.SourceVersion(v.number, v.dated) for v in source.versions)
                names.sources[source.name] = m.Source(source.name, source.title, versions)
        names.enums[ABILITY] = {}
        names.enums[EFFECT] = {}
        parts: list[tuple[str, t.Member]] = []
        for enum in self._of(t.Enum):
            if enum.name not in names.enums:
                self._declare("type", enum.name, enum.span, "a type")
            names.enums.setdefault(enum.name, {})
            self._term(enum.name, enum.term)
            for member in enum.members:
                if self._declare(f"member of {enum.name}", member.name, member.span, f"a member of {enum.name}"):
                    parts.append((enum.name, member))
                    self._term(member.name, member.term)
        for reading in self._of(t.Reading):
            self._reading(reading)
        for union in self._of(t.Union):
            if self._declare("type", union.name, union.span, "a type"):
                self._term(union.name, union.term)
                types = tuple(x for x in union.members if x == names.kind or x in names.enums)
                atoms = tuple(x for x in union.members if x not in types)
                names.unions[union.name] = m.Union(union.name, types, atoms)
        for enum_name, member in parts:
            if not member.parameters:
                self._member(enum_name, member)
        for enum_name, member in parts:
            if member.parameters:
                self._member(enum_name, member)
        for field in kinds[0].fields:
            self.field_trees.append((field, True))
        for var in self._of(t.Var):
            self.field_trees.append((var.field, False))

    def _twice(self, span: Span, first: Span, message: str) -> None:
        self.reporter.report("duplicate", message, span, "Remove one of the two.", [Related(first, "the other one")])

    def _missing(self, what: str) -> None:
        path = min(self.files) if self.files else ""
        self.reporter.report("missing-declaration", f"the model has no {what}", Span(path, 0, 0, 0, 0))

    def _member(self, enum: str, member: t.Member) -> None:
        types: list[EnumType | IntType] = []
        for parameter in member.parameters:
            if parameter not in self.names.enums:
                known = list(self.names.enums)
                try:
                    self.typer.unknown("unknown-type", "enumeration", parameter, member.span, known)
                except Faulty:
                    return
            types.append(EnumType(parameter))
        self._instances(enum, member.name, tuple(types), member.term, member.span)

    def _instances(
        self, enum: str, name: str, types: tuple[EnumType | IntType, ...], term: str | None, span: Span
    ) -> None:
        """Fill an enumeration with all members that a constructor gives."""
        table = self.names.enums[enum]
        if not types:
            table.setdefault(name, m.Member(name, name, (), term, span))
            return
        self.names.constructors.setdefault(enum, {})[name] = types
        ranges: list[Sequence[Value]] = []
        size = 1
        for type in types:
            values: Sequence[Value] = (
                list(self.names.enums[type.name]) if isinstance(type, EnumType) else range(type.low, type.high + 1)
            )
            size *= len(values)
            ranges.append(values)
        if size > LARGEST_ENUM:
            self.reporter.report(
                "too-many-values",
                f"`{name}` would have {size} instances, more than {LARGEST_ENUM}",
                span,
                "Give its parameters smaller types.",
            )
            return
        for arguments in itertools.product(*ranges):
            value = f"{name}({', '.join(str(a) for a in arguments)})"
            table[value] = m.Member(value, name, tuple(arguments), term, span)

    def _reading(self, reading: t.Reading) -> None:
        if not self._declare("type", reading.name, reading.span, "a type or reading"):
            return
        options = tuple(m.Option(o.name, o.title) for o in reading.options)
        defaults = [o for o in reading.options if o.default]
        seen: dict[str, t.Option] = {}
        for option in reading.options:
            if option.name in seen:
                self._twice(option.span, seen[option.name].span, f"`{option.name}` is there twice")
            seen[option.name] = option
        if len(defaults) != 1:
            help = "Mark one with `(default)`."
            self.reporter.report(
                "missing-declaration", f"`{reading.name}` has {len(defaults)} defaults", reading.span, help
            )
            return
        citations = self._citations(reading.notes)
        self.names.readings[reading.name] = m.Reading(
            reading.name,
            reading.title,
            options,
            defaults[0].name,
            citations,
            reading.notes.since,
            reading.notes.until,
            reading.span,
        )
        members = {o.name: m.Member(o.name, o.name, (), None, o.span) for o in reading.options}
        self.names.enums[reading.name] = members

    def _citations(self, notes: t.Notes) -> tuple[m.Citation, ...]:
        found = []
        for node in notes.citations:
            try:
                found.append(self.typer.citation(node))
            except Faulty:
                continue
        if notes.since and notes.until and notes.until <= notes.since:
            span = notes.citations[0].span if notes.citations else NOWHERE
            self.reporter.report("dates", f"`until {notes.until}` is not later than `since {notes.since}`", span)
        return tuple(found)

    # ------------------------------------------------------------ headers of blocks

    def _block_headers(self) -> None:
        """The blocks, and with them the members of the enumerations of abilities and effects."""
        dormant: set[str] = set()
        active: list[t.Item] = []
        for item in self.items:
            if isinstance(item, t.Block) and not in_force(item.notes, self.as_of):
                dormant |= {item.name, *(str(c) for c in self._citations(item.notes))}
            elif isinstance(item, t.Event):
                active.append(replace(item, parts=self._active_parts(item.parts, dormant)))
            else:
                active.append(item)
        self.items = active
        for block in self._of(t.Block):
            self._block_header(block)
        for event in self._of(t.Event):
            for group in _groups(event.parts):
                self._group_header(event, group)
        self.names.dormant = frozenset(dormant - {b.name for b in self.names.blocks.values()})

    def _active_parts(self, parts: tuple[t.Part, ...], dormant: set[str]) -> tuple[t.Part, ...]:
        kept: list[t.Part] = []
        for part in parts:
            if isinstance(part, t.Group):
                if not in_force(part.notes, self.as_of):
                    dormant |= {part.name, *(str(c) for c in self._citations(part.notes))}
                    continue
                part = replace(part, parts=self._active_parts(part.parts, dormant))
            kept.append(part)
        return tuple(kept)

    def _group_header(self, event: t.Event, group: t.Group) -> None:
        if self._declare("rule", group.name, group.span, "a rule"):
            id = f"group {event.name}/{group.name}"
            self.names.blocks[id] = m.Block(
                id,
                "group",
                group.name,
                group.title,
                self._citations(group.notes),
                group.notes.since,
                group.notes.until,
                span=group.span,
            )
            self._uncited(group.notes, group.name, group.span)

    def _uncited(self, notes: t.Notes, name: str, span: Span) -> None:
        if not notes.citations and self.names.sources:
            head = Span(span.path, span.line, span.column, span.line, span.column + 5 + len(name))
            help = 'Name its paragraph: `cites SOURCE "…"`.'
            self.reporter.report("uncited", f"the rule `{name}` cites nothing", head, help)

    def _block_header(self, block: t.Block) -> None:
        holder: Type | None = None
        id = f"{block.what} {block.name}"
        space: str = block.what
        if block.what != "rule":
            name = block.holder or self.names.kind
            holder = self.names.named_type(name)
            if holder is None:
                try:
                    self.typer.unknown("unknown-type", "type", name, block.span, self.names.type_names())
                except Faulty:
                    return
            if block.what == "effect":
                id += f" on {name}"
                space += f" on {name}"
        if not self._declare(space, block.name, block.span, f"{'an' if block.what != 'rule' else 'a'} {block.what}"):
            return
        parameters = self._parameters(block.parameters)
        for parameter in parameters:
            if not isinstance(parameter.type, EnumType | IntType):
                message = f"a parameter of an {block.what} is of an enumeration or a small number"
                self.reporter.report("wrong-type", message, block.span)
                return
        if block.what == "rule":
            self._uncited(block.notes, block.name, block.span)
        else:
            enum = ABILITY if block.what == "ability" else EFFECT
            types = tuple(cast("EnumType | IntType", p.type) for p in parameters)
            known = self.names.constructors.get(enum, {}).get(block.name)
            if block.what == "effect" and (block.name in self.names.enums[enum] or known) and known != (types or None):
                message = f"the effects called `{block.name}` have different parameters"
                self.reporter.report("wrong-arity", message, block.span)
                return
            self._instances(enum, block.name, types, block.title, block.span)
            self._term(block.name, block.title)
        self.names.blocks[id] = m.Block(
            id,
            block.what,
            block.name,
            block.title,
            self._citations(block.notes),
            block.notes.since,
            block.notes.until,
            parameters,
            holder,
            block.span,
        )

    # ------------------------------------------------------------ types, fields, signatures

    def _type(self, node: t.TypeExpr) -> Type | None:
        match node:
            case t.TypeBool():
                return BOOL
            case t.TypeInt(low, high):
                if low > high:
                    self.reporter.report("out-of-range", f"{low}..{high} has no numbers in it", node.span)
                    return None
                return IntType(low, high)
            case t.TypePer(index, value):
                inner = self._type(value)
                if index not in self.names.enums:
                    self._unknown_type(index, node.span, list(self.names.enums))
                    return None
                return None if inner is None else PerType(EnumType(index), inner)
            case t.TypeName(name) | t.TypeOptional(name) | t.TypeSet(name):
                named = self.names.named_type(name)
                if named is None:
                    self._unknown_type(name, node.span, ["bool", "int", *self.names.type_names()])
                    return None
                if isinstance(node, t.TypeOptional):
                    return OptionalType(named)
                return SetType(named) if isinstance(node, t.TypeSet) else named

    def _unknown_type(self, name: str, span: Span, known: list[str]) -> None:
        try:
            self.typer.unknown("unknown-type", "type", name, span, known)
        except Faulty:
            return

    def _types_of_fields(self) -> None:
        for field, of_kind in self.field_trees:
            type = self._type(field.type)
            if type is None:
                continue
            index: list[str] = []
            while isinstance(type, PerType):
                index.append(type.index.name)
                type = type.value
            for name in field.names:
                if not self._declare("variable", name, field.span, "a field or variable"):
                    continue
                self.names.variables[name] = m.Variable(
                    name,
                    type,
                    tuple(index),
                    self.names.null(type),
                    self.names.null(type),
                    of_kind,
                    of_kind and not field.variable,
                    field.marks,
                    field.clock,
                    field.term,
                    field.span,
                )
                self._term(name, field.term)

    def _parameters(self, nodes: Sequence[t.Parameter]) -> tuple[m.Parameter, ...]:
        result: list[m.Parameter] = []
        for node in nodes:
            type = RefType(self.names.kind) if node.type is None else self._type(node.type)
            if any(p.name == node.name for p in result):
                self.reporter.report("duplicate", f"there are two parameters called `{node.name}`", node.span)
            if type is not None:
                result.append(m.Parameter(node.name, type, cast(Any, node.default)))
        return tuple(result)

    def _constant_default(self, parameter: m.Parameter) -> m.Parameter:
        node = cast("t.Expr | None", parameter.default)
        if node is None:
            return parameter
        try:
            expr = self.typer.expect(node, Scope(), parameter.type)
        except Faulty:
            return replace(parameter, default=None)
        if not isinstance(expr, e.Const):
            self.reporter.report("not-constant", "a default is a constant", node.span)
            return replace(parameter, default=None)
        return replace(parameter, default=expr)

    def _signatures(self) -> None:
        names = self.names
        for define in self._of(t.Define):
            if self._declare("formula", define.name, define.span, "a status, event or definition"):
                self.define_trees[define.name] = define
                self._term(define.name, define.term)
        for status in self._of(t.Status):
            if self._declare("formula", status.name, status.span, "a status, event or definition"):
                self._term(status.name, status.term)
                names.statuses[status.name] = m.Status(
                    status.name, self._parameters(status.parameters), status.live, status.term, status.span
                )
                self.status_clauses[status.name] = []
        for event in self._of(t.Event):
            if self._declare("formula", event.name, event.span, "a status, event or definition"):
                self._term(event.name, event.term)
                names.events[event.name] = m.Event(
                    event.name, self._parameters(event.parameters), (), event.action, event.term, event.span
                )
                if event.action:
                    self.norms[event.name] = []
                    self.lifts[event.name] = []

    def _defaults(self) -> None:
        names = self.names
        for field, _ in self.field_trees:
            if field.default is None:
                continue
            for name in field.names:
                variable = names.variables.get(name)
                if variable is None or variable.span is not field.span:
                    continue
                try:
                    expr = self.typer.expect(field.default, Scope(), variable.type)
                    self.typer.in_range(expr, variable.type)
                except Faulty:
                    continue
                if not isinstance(expr, e.Const | e.SetOf) or (
                    isinstance(expr, e.SetOf) and expr.items and not _consts(expr)
                ):
                    self.reporter.report("not-constant", "what a field begins with is a constant", field.default.span)
                    continue
                value = expr.value if isinstance(expr, e.Const) else frozenset(cast(Any, c).value for c in expr.items)
                names.variables[name] = replace(variable, default=value, null=value)
        for field, _ in self.field_trees:
            for name in field.names:
                variable = names.variables.get(name)
                if variable is None or variable.span is not field.span or field.default is not None:
                    continue
                if isinstance(variable.type, RefType):
                    help = f"Write `{names.kind}? = none`, or a default."
                    self.reporter.report("no-default", f"`{name}` has no value to begin with", field.span, help)
        for status in list(names.statuses.values()):
            names.statuses[status.name] = replace(
                status, parameters=tuple(self._constant_default(p) for p in status.parameters)
            )
        for event in list(names.events.values()):
            names.events[event.name] = replace(
                event, parameters=tuple(self._constant_default(p) for p in event.parameters)
            )
        for block in list(names.blocks.values()):
            names.blocks[block.id] = replace(
                block, parameters=tuple(self._constant_default(p) for p in block.parameters)
            )

    # ------------------------------------------------------------ definitions

    def _define_of(self, name: str) -> m.Define | None:
        """The definition of this name, elaborated when it is first needed."""
        if name in self.names.defines:
            return self.names.defines[name]
        node = self.define_trees.get(name)
        if node is None:
            return None
        if name in self.defining:
            circle = self.defining[self.defining.index(name) :]
            first = min(circle)
            if name == circle[0]:
                related = [Related(self.define_trees[x].span, f"`{x}` is used here") for x in circle if x != first]
                path = " → ".join([*circle, name])
                message = f"this definition uses itself: {path}"
                self.reporter.report("cyclic-definition", message, self.define_trees[first].span, "", related)
            raise Faulty
        self.defining.append(name)
        try:
            parameters = tuple(self._constant_default(p) for p in self._parameters(node.parameters))
            scope = Scope({p.name: p.type for p in parameters})
            body = self.typer.expression(node.body, scope)
            self.names.defines[name] = m.Define(name, parameters, body, node.term, node.span)
        finally:
            self.defining.pop()
        return self.names.defines[name]

    def _defines(self) -> None:
        for name in self.define_trees:
            try:
                self._define_of(name)
            except Faulty:
                continue

    # ------------------------------------------------------------ clauses

    def _clauses(self) -> None:
        levels = self._of(t.Precedence)
        if levels:
            self.precedence = tuple((x.strength, x.word) for x in levels[0].levels)
        for extra in levels[1:]:
            self._twice(extra.span, levels[0].span, "a model has one precedence")
        for node in self._of(t.Block):
            id = f"{node.what} {node.name}"
            if node.what == "effect":
                id += f" on {node.holder or self.names.kind}"
            block = self.names.blocks.get(id)
            if block is None or block.span is not node.span:
                continue
            scope = Scope({p.name: p.type for p in block.parameters})
            if block.holder is not None:
                scope = scope.bind("self", block.holder)
            for number, clause in enumerate(node.clauses, start=1):
                try:
                    self._clause(block, f"{id}#{number}", clause, scope)
                except Faulty:
                    continue

    def _clause(self, block: m.Block, id: str, node: t.Clause, scope: Scope) -> None:
        match node:
            case t.StatusClause():
                status = self.names.statuses.get(node.head.name)
                if status is None:
                    self._not_a_status(node)
                scope = replace(scope, verdicts=NO_VERDICT_IN_STATUS)
                patterns, inner, fresh = self.typer.head(node.head, status.parameters, scope)
                condition = self._condition(node.condition, inner)
                self._stray(fresh, patterns, condition)
                clause = m.StatusClause(id, block.id, status.name, patterns, condition, node.negative, node.span)
                self.status_clauses[status.name].append(clause)
            case t.Norm():
                action = self.typer.action(node.head.name, node.head.span)
                patterns, inner, fresh = self.typer.head(node.head, action.parameters, scope)
                condition = self._condition(node.condition, inner)
                self._stray(fresh, patterns, condition)
                strength = node.strength or ("rule" if block.what == "rule" else "card")
                if node.strength and node.strength not in {x for x, _ in self.precedence}:
                    known = [x for x, _ in self.precedence]
                    self.typer.unknown("unknown-strength", "strength", node.strength, node.span, known)
                norm = m.Norm(
                    id, block.id, node.word, action.name, patterns, condition, strength, node.title, node.span
                )
                self.norms[action.name].append(norm)
            case t.Lifts():
                action = self.typer.action(node.head.name, node.head.span)
                patterns, inner, fresh = self.typer.head(node.head, action.parameters, scope)
                condition = self._condition(node.condition, inner)
                self._stray(fresh, patterns, condition)
                victims = tuple(v for v in (self._victim(x, inner) for x in node.victims) if v is not None)
                if victims or not node.victims:
                    lift = m.Lift(id, block.id, victims, action.name, patterns, condition, node.span)
                    self.lifts[action.name].append(lift)

    def _not_a_status(self, node: t.StatusClause) -> NoReturn:
        name = node.head.name
        if name in self.define_trees:
            self.typer.fail(
                "unknown-status",
                f"`{name}` is a definition, and rules can't give or take it",
                node.head.span,
                f"Declare it as a status: `status {name}(…)`.",
            )
        known = [*self.names.statuses, "permit", "forbid", "require", "steer", "price", "lifts"]
        self.typer.unknown("unknown-status", "status", name, node.head.span, known)

    def _condition(self, node: t.Expr | None, scope: Scope) -> e.Expr | None:
        return None if node is None else self.typer.formula(node, scope)

    def _stray(self, fresh: dict[str, t.Pattern], patterns: Iterable[m.Pattern], condition: e.Expr | None) -> None:
        """A fresh name that nothing uses and that is nearly a constant: surely a slip, and it would match anything."""
        from verify_rules.diagnostics import suggestion

        for pattern in patterns:
            if not isinstance(pattern, m.Bind) or pattern.name not in fresh or len(pattern.name) < 3:
                continue
            used = condition is not None and any(
                isinstance(x, e.Local) and x.name == pattern.name for x in e.walk(condition)
            )
            hint = suggestion(pattern.name, self.names.members(pattern.type))
            if hint and not used:
                help = f"{hint} A new name stands for anything; write `_` if that is meant."
                self.typer.fail(
                    "unknown-name", f"nothing is called `{pattern.name}` here", fresh[pattern.name].span, help
                )

    def _victim(self, node: t.Victim, scope: Scope) -> m.Victim | None:
        blocks = self.names.blocks.values()
        if node.what == "class":
            owner = None
            if node.owner is not None:
                owner = self.typer.expression(node.owner, scope)
            if node.strength and node.strength not in {x for x, _ in self.precedence}:
                known = [x for x, _ in self.precedence]
                self.typer.unknown("unknown-strength", "strength", node.strength, node.span, known)
            text = " ".join(x for x in (node.strength, node.word, node.origin and f"from {node.origin}") if x)
            return m.ClassVictim(cast(Any, node.word), node.strength, node.origin, owner, text)
        name = cast(str, node.name)
        found = frozenset(b.id for b in blocks if b.what == node.what and b.name == name)
        if not found:
            if name in self.names.dormant:
                return None
            known = [b.name for b in blocks if b.what == node.what]
            self.typer.unknown(f"unknown-{node.what}", node.what, name, node.span, known)
        return m.NamedVictim(found, f"{node.what} {name}")

    # ------------------------------------------------------------ events

    def _event_parts(self) -> None:
        for node in self._of(t.Event):
            event = self.names.events.get(node.name)
            if event is None or event.span is not node.span:
                continue
            scope = Scope({p.name: p.type for p in event.parameters})
            parts = self._parts(node.parts, scope, event.name)
            self.names.events[event.name] = replace(event, parts=parts)

    def _parts(self, nodes: Iterable[t.Part], scope: Scope, event: str) -> tuple[m.Part, ...]:
        parts: list[m.Part] = []
        for node in nodes:
            try:
                parts += self._part(node, scope, event)
            except Faulty:
                continue
        return tuple(parts)

    def _part(self, node: t.Part, scope: Scope, event: str) -> list[m.Part]:
        match node:
            case t.Requires(title, formula):
                return [m.Require(self.typer.formula(formula, scope), title, node.span)]
            case t.Resets(target, keep):
                expr = self.typer.expression(target, scope)
                if not self.names.fits(expr.type, RefType(self.names.kind)) and expr.type != SetType(
                    RefType(self.names.kind)
                ):
                    self.typer.fit(expr, RefType(self.names.kind))
                for name in keep:
                    variable = self.names.variables.get(name)
                    if variable is None or not variable.of_kind:
                        known = [v.name for v in self.names.variables.values() if v.of_kind]
                        self.typer.unknown("unknown-field", f"field of a {self.names.kind}", name, node.span, known)
                return [m.Reset(expr, keep, node.span)]
            case t.Sets(assignments):
                return self._assignments(assignments, scope, None)
            case t.Carries(origin, target):
                kind = RefType(self.names.kind)
                return [
                    m.Carry(self.typer.expect(origin, scope, kind), self.typer.expect(target, scope, kind), node.span)
                ]
            case t.ForEach():
                if node.type_name != self.names.kind:
                    self.typer.fail("wrong-type", f"`for` runs over all of {self.names.kind}", node.span)
                inner = scope.bind(node.name, RefType(self.names.kind))
                condition = self._condition(node.condition, inner)
                parts: list[m.Part] = []
                for part in node.parts:
                    if isinstance(part, t.Sets):
                        parts += self._assignments(part.assignments, inner, node.name)
                    else:
                        parts += self._part(part, inner, event)
                return [m.ForEach(node.name, RefType(self.names.kind), condition, tuple(parts), node.span)]
            case t.Does(call, condition_tree):
                target_event = self.typer.event(call)
                arguments = self.typer.arguments(call, target_event.parameters, scope)
                return [m.Do(target_event.name, arguments, self._condition(condition_tree, scope), node.span)]
            case t.Group():
                return [m.Group(f"group {event}/{node.name}", self._parts(node.parts, scope, event), node.span)]

    def _assignments(self, nodes: Sequence[t.Assign], scope: Scope, loop: str | None) -> list[m.Part]:
        result: list[m.Part] = []
        seen: dict[tuple[Any, ...], m.Assign] = {}
        for node in nodes:
            try:
                assign = self._assign(node, scope)
            except Faulty:
                continue
            key = (assign.variable, assign.owner, assign.index)
            if assign.condition is None and key in seen:
                self.reporter.report(
                    "sets-twice",
                    f"`{assign.variable}` is set twice at once",
                    assign.span,
                    "Remove one, or give each a `when`.",
                    [Related(seen[key].span, "the other one")],
                )
            if assign.condition is None:
                seen[key] = assign
            if loop is not None:
                target = [x for x in (assign.owner, *assign.index) if x is not None]
                of_loop = any(isinstance(y, e.Local) and y.name == loop for x in target for y in e.walk(x))
                by_loop = any(isinstance(y, e.Local) and y.name == loop for y in e.walk(assign.value))
                if by_loop and not of_loop:
                    self.reporter.report(
                        "sets-twice",
                        f"`{assign.variable}` would be set to the value of every `{loop}` at once",
                        assign.span,
                        f"Set a field of `{loop}`, or choose one with `some` or `union`.",
                    )
            result.append(assign)
        return result

    def _assign(self, node: t.Assign, scope: Scope) -> m.Assign:
        place = self.typer.expression(node.place, scope)
        if not isinstance(place, e.Get):
            self.typer.fail("wrong-type", "only a variable can be set", node.place.span)
        variable = self.names.variables[place.variable]
        if variable.fixed:
            self.typer.fail(
                "sets-fixed",
                f"`{variable.name}` is fixed for a scenario",
                node.place.span,
                f"Declare it with `var` if it may change ({variable.span}).",
            )
        if isinstance(place.type, PerType):
            self.typer.fail(
                "wrong-type", f"`{variable.name}` has a value for each {place.type.index}: say which", place.span
            )
        value = self.typer.expect(node.value, scope, variable.type)
        self.typer.in_range(value, variable.type)
        condition = self._condition(node.condition, scope)
        return m.Assign(variable.name, place.owner, place.index, value, condition, node.span)

    # ------------------------------------------------------------ the rest

    def _invariants(self) -> tuple[m.Invariant, ...]:
        found = []
        for number, node in enumerate(self._of(t.Invariant), start=1):
            name = node.name or f"invariant_{number}"
            if not self._declare("invariant", name, node.span, "an invariant"):
                continue
            try:
                found.append(m.Invariant(name, node.title, self.typer.formula(node.formula, Scope()), node.span))
            except Faulty:
                continue
        return tuple(found)

    def _setup(self) -> m.Setup | None:
        setups = self._of(t.Setup)
        if not setups:
            self._missing("`setup for …`, which says what a scenario's cards mean")
            return None
        node: t.Setup = setups[0]
        for extra in setups[1:]:
            self._twice(extra.span, node.span, "a model has one `setup`")
        kind = RefType(self.names.kind)
        below = node.below or ""
        scope = Scope({node.name: kind} | ({below: SetType(kind)} if below else {}))
        steps: dict[str, m.SetupStep] = {}
        for flag in node.flags:
            step = self._setup_step(flag.call, scope)
            if step is not None:
                steps[flag.name] = step
        plain = Scope()
        return m.Setup(
            node.name,
            below,
            self._setup_field(node.types, scope),
            self._setup_field(node.grants, scope),
            self._setup_field(node.owner, scope),
            None if node.in_play is None else self._setup_step(node.in_play, scope),
            tuple(s for s in (self._setup_step(c, plain) for c in node.then) if s is not None),
            steps,
            node.span,
        )

    def _setup_field(self, node: t.Expr | None, scope: Scope) -> str | None:
        if node is None:
            return None
        try:
            expr = self.typer.expression(node, scope)
        except Faulty:
            return None
        if not isinstance(expr, e.Get) or not self.names.variables[expr.variable].fixed:
            self.reporter.report("wrong-type", "this is the name of a fixed field: `c.field`", node.span)
            return None
        return expr.variable

    def _setup_step(self, call: t.Call, scope: Scope) -> m.SetupStep | None:
        try:
            event = self.typer.event(call)
            return m.SetupStep(event.name, self.typer.arguments(call, event.parameters, scope), call.span)
        except Faulty:
            return None


def _groups(parts: Iterable[t.Part]) -> list[t.Group]:
    found: list[t.Group] = []
    for part in parts:
        if isinstance(part, t.Group):
            found += [part, *_groups(part.parts)]
    return found


def _consts(expr: e.SetOf) -> bool:
    return all(isinstance(x, e.Const) for x in expr.items)

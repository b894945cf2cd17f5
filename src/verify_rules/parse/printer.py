"""Syntax tree → text: the inverse of the parser, and `fmt`, which rewrites the `rules` blocks of a file.

Laws, which `tests/test_printer.py` holds it to: what is printed parses to the tree that was printed; formatting twice
is formatting once; formatting keeps the trees, the prose and every comment. `format_file` checks the last two itself
before it hands anything out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import assert_never

from verify_rules.diagnostics import Reporter
from verify_rules.diagnostics.render import width
from verify_rules.parse import tree as t
from verify_rules.parse.comments import ItemSource, Token, tokens_of, with_comments
from verify_rules.parse.formula_printer import (
    COMMA,
    POSTFIX,
    call_doc,
    citation_doc,
    expr_doc,
    if_doc,
    list_doc,
    quoted,
    term_doc,
)
from verify_rules.parse.layout import (
    HARD,
    LINE,
    SHORT,
    Anchor,
    Break,
    Doc,
    Group,
    Mark,
    Nest,
    Row,
    joined,
    padded,
    render,
)
from verify_rules.parse.markdown import Chunk, Fence, chunks, fences
from verify_rules.parse.parser import parse_chunk
from verify_rules.source import NOWHERE, SourceFile, Span

ALIGN = 24
"""Names longer than this stand out of a column of names that is aligned on its colons."""
GAP = Break("  ")
NO_NOTES = t.Notes()


def print_item(item: t.Item) -> str:
    """The item as `fmt` writes it, without a line end behind it."""
    return _text(render(_item(item)))


def print_expr(expr: t.Expr) -> str:
    """The formula on one line."""
    return _text(render(expr_doc(expr), one_line=True))


def print_given(given: t.Given) -> str:
    """The value of `--given`, on one line."""
    entries = joined(", ", (_entry(entry, 0) for entry in given.cards))
    steps = tuple(("; ", _script_line(line)) for line in given.script)
    return _text(render((entries, steps), one_line=True)).strip()


def _text(rows: Iterable[Row]) -> str:
    return "\n".join(" " * row.indent + row.text if row.text else "" for row in rows)


# ---------------------------------------------------------------- types, parameters, notes


def _type(type_: t.TypeExpr) -> str:
    match type_:
        case t.TypeBool():
            return "bool"
        case t.TypeInt():
            return f"int {type_.low}..{type_.high}"
        case t.TypeName():
            return type_.name
        case t.TypeOptional():
            return f"{type_.name}?"
        case t.TypeSet():
            return f"set of {type_.name}"
        case t.TypePer():
            return f"per {type_.index} {_type(type_.value)}"
        case _:
            assert_never(type_)


def _parameters(parameters: tuple[t.Parameter, ...], span: Span) -> Doc:
    docs: list[Doc] = []
    for parameter in parameters:
        type_ = f": {_type(parameter.type)}" if parameter.type is not None else ""
        default: Doc = (" = ", expr_doc(parameter.default)) if parameter.default is not None else ""
        docs.append((Mark(parameter.span), parameter.name, type_, default))
    ends = Span(span.path, span.line, span.column, parameters[-1].span.end_line, parameters[-1].span.end_column)
    return ("(", list_doc(ends, docs), ")")


def _needed_parameters(parameters: tuple[t.Parameter, ...], span: Span) -> Doc:
    return _parameters(parameters, span) if parameters else "()"


def _given_parameters(parameters: tuple[t.Parameter, ...], span: Span) -> Doc:
    return _parameters(parameters, span) if parameters else ""


def _citations(citations: tuple[t.Citation, ...]) -> Doc:
    """The citations; source and version are said once for neighbours that share them."""
    docs: list[Doc] = []
    for i, citation in enumerate(citations):
        before = citations[i - 1] if i else None
        if before is not None and (before.source, before.version) == (citation.source, citation.version):
            docs.append((Mark(citation.span), quoted(citation.paragraph)))
        else:
            docs.append(citation_doc(citation))
    rest = tuple((",", Group((Break(), doc))) for doc in docs[1:])
    return Nest(len("cites "), (docs[0], rest))


def _day(word: str, day: date | None, after: Span) -> list[Doc]:
    return [(Anchor(word, after=after), f"{word} {day.isoformat()}")] if day is not None else []


def _notes(notes: t.Notes, span: Span) -> Doc:
    """The citations and dates behind a head, each after a break."""
    found: list[Doc] = []
    if notes.citations:
        found.append(("cites ", _citations(notes.citations)))
    found += _day("since", notes.since, span) + _day("until", notes.until, span)
    return tuple((GAP, doc) for doc in found)


def _head_line(head: Doc, notes: t.Notes, span: Span) -> Doc:
    return Group((head, Nest(2, _notes(notes, span)))) if notes != NO_NOTES else head


def _when(condition: t.Expr | None) -> Doc:
    return Nest(2, (Break(), "when ", expr_doc(condition))) if condition is not None else ""


def _last(span: Span) -> Mark:
    """The last character of a span: a closing brace."""
    return Mark(span._replace(line=span.end_line, column=max(span.end_column - 1, 1)))


# ---------------------------------------------------------------- items


def _item(item: t.Item) -> Doc:
    return (Mark(item.span), _bare_item(item))


def _bare_item(item: t.Item) -> Doc:
    match item:
        case t.Game():
            return f"game {quoted(item.title)}"
        case t.Source():
            versions = joined(COMMA, map(_version, item.versions))
            return Group((f"source {item.name}{term_doc(item.title)} versions ", Nest(2, versions)), item.span)
        case t.Enum():
            return _enum(item)
        case t.Kind():
            fields = tuple((HARD, doc) for doc in _fields(item.fields))
            return (f"kind {item.name}{term_doc(item.term)} {{", Nest(2, fields), HARD, _last(item.span), "}")
        case t.Var():
            labels = ", ".join(item.field.names)
            return Group(("var ", _field_tail(item.field, labels)), item.span)
        case t.Union():
            members = joined((Break(), "| "), item.members)
            return Group((f"union {item.name}{term_doc(item.term)} = ", Nest(2, members)), item.span)
        case t.Invariant():
            head = "invariant" + (f" {item.name}:" if item.name is not None else "") + term_doc(item.title)
            gap: Doc = Break() if item.name is not None or item.title is not None else " "
            return Group((head, Nest(2, (gap, expr_doc(item.formula)))), item.span)
        case t.Define():
            head_doc: Doc = (f"define {item.name}", _given_parameters(item.parameters, item.span), term_doc(item.term))
            body = expr_doc(item.body)
            if isinstance(item.body, t.IfElse):  # its `else` stands below its `if`, which begins a line
                body = (Mark(item.body.span), if_doc(item.body, 0))
            return Group((head_doc, " =", Nest(2, (Break(), body))), item.span)
        case t.Status():
            live = (Break(), "makes live") if item.live else ""
            head_doc = (f"status {item.name}", _needed_parameters(item.parameters, item.span), term_doc(item.term))
            return Group((head_doc, Nest(2, live)), item.span)
        case t.Event():
            word = "action" if item.action else "event"
            head_doc = (f"{word} {item.name}", _needed_parameters(item.parameters, item.span), term_doc(item.term))
            return _body(head_doc, item.parts, item.span)
        case t.Block():
            return _block(item)
        case t.Precedence():
            levels = joined((Break(), "> "), ((Mark(x.span), f"{x.strength} {x.word}") for x in item.levels))
            return Group(("precedence ", Nest(2, levels)), item.span)
        case t.Reading():
            head = f"reading {item.name}{term_doc(item.title)}"
            options = Nest(2, (Break(), joined(COMMA, map(_option, item.options))))
            head_doc = _head_line(head, item.notes, item.span)
            limit = SHORT if any(option.title is not None for option in item.options) else LINE
            return Group((head_doc, " {", options, Break(), _last(item.span), "}"), item.span, limit)
        case t.Setup():
            return _setup(item)
        case t.Card():
            head_doc = _head_line(f"card {quoted(item.name)}", item.notes, item.span)
            values = _values(item.values)
            quote: Doc = (Break(), f"text {quoted(item.quote)}") if item.quote is not None else ""
            rest = (_types(item.types, item.grants), (Break(), values) if values else "", quote)
            return Group((head_doc, " : ", Nest(2, rest)), item.span, SHORT)
        case t.Ruling():
            return _ruling(item)
        case t.Claim():
            head = f"claim {item.name}{term_doc(item.title)}"
            formula: Doc = (f"{item.mode} ", expr_doc(item.formula))
            meta = _meta(item.meta, item.span, item.formula.span)
            if meta:
                return (head, Nest(2, (meta, HARD, formula)))
            return Group((head, Nest(2, (GAP, formula))), item.span, SHORT)
        case _:
            assert_never(item)


def _version(version: t.SourceVersion) -> Doc:
    dated = f" dated {version.dated.isoformat()}" if version.dated is not None else ""
    return (Mark(version.span), version.number, dated)


def _enum(item: t.Enum) -> Doc:
    head = f"enum {item.name}{term_doc(item.term)} {{"
    if not item.members:
        return (head, _last(item.span), "}")
    members: list[Doc] = []
    for member in item.members:
        parameters = f"({', '.join(member.parameters)})" if member.parameters else ""
        members.append((Mark(member.span), f"{member.name}{parameters}{term_doc(member.term)}"))
    limit = LINE
    if any(member.term is not None for member in item.members):
        inside = joined(COMMA, members)
        limit = SHORT
    else:
        # As many to a line as there is room for; a comment between two parts them.
        rest: list[Doc] = []
        for i in range(1, len(members)):
            a, b = item.members[i - 1].span, item.members[i].span
            rest.append((",", Group((Break(), members[i]), Span(a.path, a.line, a.column, b.line, b.column))))
        inside = (members[0], tuple(rest))
    return Group((head, Nest(2, (Break(), inside)), Break(), _last(item.span), "}"), item.span, limit)


def _column(names: Iterable[str]) -> int:
    return max((width(name) for name in names if width(name) <= ALIGN), default=0)


def _fields(fields: tuple[t.Field, ...]) -> list[Doc]:
    labels = [("var " if field.variable else "") + ", ".join(field.names) for field in fields]
    column = _column(labels)
    return [
        (Mark(field.span), _field_tail(field, padded(label, column)))
        for field, label in zip(fields, labels, strict=True)
    ]


def _field_tail(field: t.Field, label: str) -> Doc:
    default: Doc = ""
    if field.default is not None:
        # `by R "term"` would be read as a citation.
        closed = field.term is None or not _ends_in_by(field.default)
        default = (" = ", expr_doc(field.default) if closed else ("(", expr_doc(field.default), ")"))
    marks = "".join(f" of {mark}" for mark in field.marks) + (" clock" if field.clock else "")
    return (f"{label} : {_type(field.type)}", default, term_doc(field.term), marks)


def _ends_in_by(expr: t.Expr) -> bool:
    match expr:
        case t.Verdict():
            return isinstance(expr.by, t.Name)
        case t.Chain():
            return _ends_in_by(expr.items[-1])
        case t.Binary():
            return _ends_in_by(expr.right)
        case t.IfElse():
            return _ends_in_by(expr.no)
        case t.Negation() | t.Quantified():
            return _ends_in_by(expr.body)
        case _:
            return False


# ---------------------------------------------------------------- events


def _keyword(part: t.Part) -> str | None:
    match part:
        case t.Requires():
            return "requires"
        case t.Resets():
            return "resets"
        case t.Sets():
            return "sets"
        case t.Carries():
            return "carries"
        case t.Does():
            return "does"
        case t.ForEach() | t.Group():
            return None
        case _:
            assert_never(part)


def _body(head: Doc, parts: tuple[t.Part, ...], span: Span, gap: Doc = GAP) -> Doc:
    """A head and its parts: a single plain part may stand behind the head, others stand on lines of their own."""
    if len(parts) == 1 and not isinstance(parts[0], t.ForEach | t.Group):
        return Group((head, Nest(2, (gap, _part(parts[0], 0)))), span, SHORT)
    column = _column(word for word in map(_keyword, parts) if word is not None)
    return (head, Nest(2, tuple((HARD, _part(part, column)) for part in parts)))


def _part(part: t.Part, column: int) -> Doc:
    word = _keyword(part)
    start: Doc = (Mark(part.span), padded(word, column) + " " if word is not None else "")
    match part:
        case t.Requires():
            if part.title is None:
                return (start, expr_doc(part.formula))
            return Group((start, quoted(part.title), Nest(2, (Break(), expr_doc(part.formula)))), part.span)
        case t.Resets():
            keep = f" except {', '.join(part.keep)}" if part.keep else ""
            return (start, expr_doc(part.target), keep)
        case t.Sets():
            several = len(part.assignments) > 1 and any(a.condition is not None for a in part.assignments)
            separator: Doc = (",", HARD) if several else COMMA
            hang = max(column, len("sets")) + 1
            return (start, Group(Nest(hang, joined(separator, map(_assign, part.assignments))), part.span))
        case t.Carries():
            return (start, expr_doc(part.origin, POSTFIX, False), " to ", expr_doc(part.target, POSTFIX, False))
        case t.Does():
            return Group((start, Mark(part.call.span), call_doc(part.call), _when(part.condition)), part.span)
        case t.ForEach():
            where: Doc = (" where ", Nest(2, expr_doc(part.condition))) if part.condition is not None else ""
            return _body((start, f"for {part.name}: {part.type_name}", where), part.parts, part.span)
        case t.Group():
            head = _head_line((start, f"rule {part.name}{term_doc(part.title)}"), part.notes, part.span)
            column = _column(word for word in map(_keyword, part.parts) if word is not None)
            return (head, Nest(2, tuple((HARD, _part(inner, column)) for inner in part.parts)))
        case _:
            assert_never(part)


def _assign(assign: t.Assign) -> Doc:
    place = expr_doc(assign.place, POSTFIX, False)
    return Group((Mark(assign.span), place, " := ", expr_doc(assign.value), _when(assign.condition)), assign.span)


# ---------------------------------------------------------------- blocks


def _block(block: t.Block) -> Doc:
    holder = f" on {block.holder}" if block.holder is not None else ""
    parameters = _given_parameters(block.parameters, block.span)
    head: Doc = (f"{block.what} {block.name}", parameters, holder, term_doc(block.title))
    if block.what != "rule" and len(block.clauses) == 1 and block.notes == NO_NOTES:
        return Group((head, Nest(2, (GAP, _clause(block.clauses[0])))), block.span, SHORT)
    clauses = tuple((HARD, _clause(clause)) for clause in block.clauses)
    return (_head_line(head, block.notes, block.span), Nest(2, clauses))


def _clause(clause: t.Clause) -> Doc:
    match clause:
        case t.StatusClause():
            doc: Doc = ("not " if clause.negative else "", _head(clause.head))
        case t.Norm():
            strength = f"at {clause.strength} strength " if clause.strength is not None else ""
            doc = (f"{clause.word} {strength}", _head(clause.head), term_doc(clause.title))
        case t.Lifts():
            victims = joined(COMMA, map(_victim, clause.victims))
            doc = ("lifts ", Nest(6, victims), " for ", _head(clause.head))
        case t.Amends():
            strength = f" at {clause.strength} strength" if clause.strength is not None else ""
            on = Group(("on ", _head(clause.head), _when(clause.condition)), clause.head.span)
            head: Doc = (Mark(clause.span), on, f" {clause.word}{strength}")
            return _body(head, clause.parts, clause.span, Break())
        case t.TriggerClause():
            doc = (f"triggers {'after' if clause.after else 'on'} ", _head(clause.head))
        case _:
            assert_never(clause)
    return Group((Mark(clause.span), doc, _when(clause.condition)), clause.span)


def _head(head: t.Head) -> Doc:
    return (Mark(head.span), f"{head.name}(", list_doc(head.span, map(_pattern, head.patterns)), ")")


def _pattern(pattern: t.Pattern) -> Doc:
    if pattern.value is not None:
        return (Mark(pattern.span), expr_doc(pattern.value))
    if pattern.type_name is not None:
        return (Mark(pattern.span), f"{pattern.name}: {pattern.type_name}")
    return (Mark(pattern.span), "_")


def _victim(victim: t.Victim) -> Doc:
    if victim.what == "class":
        strength = f"{victim.strength} " if victim.strength is not None else ""
        origin = f" from {victim.origin}" if victim.origin is not None else ""
        owner: Doc = (" of ", expr_doc(victim.owner, POSTFIX, False)) if victim.owner is not None else ""
        return (Mark(victim.span), f"{strength}{victim.word}{origin}", owner)
    word = "" if victim.what == "rule" else f"{victim.what} "
    return (Mark(victim.span), f"{word}{victim.name}")


def _option(option: t.Option) -> Doc:
    default = " (default)" if option.default else ""
    return (Mark(option.span), f"{option.name}{default}{term_doc(option.title)}")


# ---------------------------------------------------------------- scenarios


def _marked_call(call: t.Call) -> Doc:
    return (Mark(call.span), call_doc(call))


def _setup(setup: t.Setup) -> Doc:
    over = f" over {setup.below}" if setup.below is not None else ""
    lines: list[Doc] = []
    for word, expr in (("types", setup.types), ("with", setup.grants), ("of", setup.owner)):
        if expr is not None:
            lines.append((f"{word} ", expr_doc(expr, POSTFIX, False)))
    if setup.in_play is not None:
        lines.append(("in play ", _marked_call(setup.in_play)))
    if setup.then:
        lines.append(Group(("then ", Nest(5, joined(COMMA, map(_marked_call, setup.then))))))
    for flag in setup.flags:
        lines.append((Mark(flag.span), f"flag {flag.name} ", _marked_call(flag.call)))
    return (f"setup for {setup.name}: {setup.type_name}{over}", Nest(2, tuple((HARD, line) for line in lines)))


def _types(types: tuple[str, ...], grants: tuple[t.Grant, ...]) -> Doc:
    if not grants:
        return ", ".join(types)
    return (", ".join(types), _with(grants))


def _with(grants: tuple[t.Grant, ...]) -> Doc:
    return (" with ", Group(Nest(2, joined(COMMA, map(_grant, grants))))) if grants else ""


def _grant(grant: t.Grant) -> Doc:
    if grant.unknown:
        return (Mark(grant.span), "?")
    if not grant.arguments:
        return (Mark(grant.span), grant.name)
    return (Mark(grant.span), f"{grant.name}(", joined(", ", map(expr_doc, grant.arguments)), ")")


def _values(values: tuple[t.CardValue, ...]) -> Doc:
    return Group(("{ ", Nest(2, joined(COMMA, map(_value, values))), " }")) if values else ""


def _value(value: t.CardValue) -> Doc:
    if value.choices:
        return (Mark(value.span), f"{value.field} in {{", joined(", ", map(expr_doc, value.choices)), "}")
    if value.value is None:
        return (Mark(value.span), f"{value.field} = ?")
    return (Mark(value.span), f"{value.field} = ", expr_doc(value.value))


def _entry(entry: t.Entry, column: int) -> Doc:
    what = quoted(entry.card) if entry.card is not None else ", ".join(entry.types)
    words = f" of {entry.owner}" if entry.owner is not None else ""
    if entry.in_play:
        words += " in play" + "".join(f" {flag}" for flag in entry.flags)
        words += "".join(f" under {name}" for name in entry.under)
    values = _values(entry.values)
    tail: Doc = Nest(2, (Break(), values)) if values else ""
    return Group(
        (Mark(entry.span), f"{padded(entry.name, column)} : {what}", _with(entry.grants), words, tail), entry.span
    )


def _script_line(line: t.ScriptLine) -> Doc:
    match line:
        case t.Step():
            doc: Doc = call_doc(line.call)
        case t.UnknownSteps():
            doc = f"steps ? up to {line.up_to}" if line.plural else "step ?"
        case t.Mistaken():
            doc = ("mistaken ", call_doc(line.call))
        case t.Expect():
            doc = ("expect ", _expectation(line.expectation))
        case t.Unchecked():
            doc = f"unchecked {quoted(line.text)}"
        case _:
            assert_never(line)
    return (Mark(line.span), doc)


def _expectation(expectation: t.Expectation) -> Doc:
    match expectation:
        case t.ExpectFormula():
            return expr_doc(expectation.formula)
        case t.ExpectOpen():
            return ("open ", expr_doc(expectation.formula))
        case t.ExpectRepaired():
            return f"mistake repaired by {expectation.left} = {expectation.right}"
        case t.ExpectNotRepairable():
            return "mistake not repairable"
        case _:
            assert_never(expectation)


def _meta(meta: t.Meta, span: Span, before: Span) -> Doc:
    """Where a ruling or claim comes from, each line after a break; `before` is where something else begins."""

    def anchored(word: str, text: str, skip: int = 0) -> Doc:
        return (Anchor(word.split()[0], span, before, skip), f"{word} {text}")

    origin: list[Doc] = [anchored("cites", quoted(cited), i) for i, cited in enumerate(meta.cites)]
    if meta.url is not None:
        origin.append(anchored("url", quoted(meta.url)))
    if meta.dated is not None:
        origin.append(anchored("dated", meta.dated.isoformat()))
    if meta.kind is not None:
        origin.append(anchored("kind", meta.kind))
    if meta.confidence is not None:
        origin.append(anchored("confidence", meta.confidence))
    dates: list[Doc] = []
    if meta.since is not None:
        dates.append(anchored("since", meta.since.isoformat()))
    if meta.until is not None:
        dates.append(anchored("until", meta.until.isoformat()))
    lines: list[Doc] = [Group(joined(Break(), line)) for line in (origin, dates) if line]
    if meta.disputed is not None:
        lines.append(anchored("disputed", quoted(meta.disputed)))
    if meta.out_of_scope is not None:
        # It may stand in the script as well.
        lines.append((Anchor("out", span), f"out of scope {quoted(meta.out_of_scope)}"))
    return tuple((HARD, line) for line in lines)


def _ruling(ruling: t.Ruling) -> Doc:
    inside = [*ruling.cards, *ruling.script]
    before = inside[0].span if inside else NOWHERE
    lines: list[Doc] = [_meta(ruling.meta, ruling.span, before)]
    if ruling.cards:
        first = ruling.cards[0].span
        column = _column(entry.name for entry in ruling.cards)
        entries = tuple((HARD, _entry(entry, column)) for entry in ruling.cards)
        lines.append((HARD, Anchor("cards", ruling.span, first, last=True), "cards", Nest(2, entries)))
    if ruling.script:
        steps = tuple((HARD, _script_line(line)) for line in ruling.script)
        first = ruling.script[0].span
        lines.append((HARD, Anchor("script", ruling.span, first, last=True), "script", Nest(2, steps)))
    return (f"{ruling.word} {ruling.name}{term_doc(ruling.title)}", Nest(2, tuple(lines)))


# ---------------------------------------------------------------- files


def format_file(file: SourceFile, reporter: Reporter) -> str | None:
    """The text of the file with its `rules` blocks as `fmt` writes them, all else byte for byte.

    None when there are syntax errors, which are reported: then nothing is changed.
    """
    once = _format(file, reporter)
    # A comment that a line had no place for moves, after which the line may be laid out anew.
    for _ in range(8):
        if once is None:
            return None
        again = _format(SourceFile(file.path, once), reporter)
        if again == once:
            break
        once = again
    return once


def _format(file: SourceFile, reporter: Reporter) -> str | None:
    own = Reporter()
    lines = file.text.split("\n")
    result: list[str] = []
    done = 0
    for fence in fences(file, own):
        pieces = chunks(file, fence, own)
        items = [parse_chunk(chunk, file.path, own) for chunk in pieces]
        result += lines[done : fence.first - 1]
        old = lines[fence.first - 1 : fence.last]
        known = [item for item in items if item is not None]
        if known and len(known) == len(pieces) and not own.failed:
            new = _fence(fence, old, list(zip(pieces, known, strict=True)))
            _check(file.path, fence, old, new, known, own)
            result += [(fence.margin + line).rstrip() for line in new]
        else:
            result += old
        done = fence.last
    for found in own.diagnostics:
        reporter.report(found.code, found.message, found.span, found.help, found.related)
    return None if own.failed else "\n".join([*result, *lines[done:]])


def _fence(fence: Fence, old: list[str], items: list[tuple[Chunk, t.Item]]) -> list[str]:
    """The lines of a block."""

    def blank(number: int) -> bool:
        return number >= fence.first and not old[number - fence.first].strip()

    result: list[str] = []

    def add(lines: list[str], number: int) -> None:
        if result and blank(number - 1):
            result.append("")
        result.extend(lines)

    before = old[: items[0][0].line - fence.first]
    for comment in tokens_of((line.strip() for line in before), fence.first, fence.indent):
        add([comment.text], comment.at[0])
    for chunk, item in items:
        tokens = tokens_of(chunk.text.split("\n"), chunk.line, chunk.indent)
        end = max(token.at for token in tokens if not token.comment)
        inside: list[Token] = []
        below: list[Token] = []
        for token in tokens:
            if token.comment:
                # What stands at the margin behind the last word belongs to the item below, and so does what follows.
                beyond = token.at > end and (bool(below) or (token.first and token.margin))
                (below if beyond else inside).append(token)
        source = ItemSource(tokens, inside, blank)
        add(with_comments(render(_item(item), source.broken, source.place), source), chunk.line)
        for comment in below:
            add([comment.text], comment.at[0])
    return result


def _check(path: str, fence: Fence, old: list[str], new: list[str], items: list[t.Item], reporter: Reporter) -> None:
    """See that nothing was lost: the same trees, the same comments, texts and dates."""
    formatted = SourceFile(path, "\n".join(new))
    whole = Fence(1, len(new))
    again = [parse_chunk(chunk, path, Reporter()) for chunk in chunks(formatted, whole, Reporter())]
    if again != items:
        raise AssertionError(f"{path}:{fence.first}: the formatted block doesn't say what it said before")
    before, after = (Counter(token.text for token in tokens_of(lines, 1, 0) if token.kept) for lines in (old, new))
    if before != after:
        lost = min((before - after) or (after - before))
        number = next((i for i, line in enumerate(old, fence.first) if lost in line), fence.first)
        line = old[number - fence.first]
        column = line.find(lost) + 1
        span = Span(path, number, max(column, 1), number, max(column, 1) + len(lost))
        reporter.report(
            "syntax",
            f"{lost} stands in a place where only one such thing is read",
            span,
            "A ruling has one origin, an item one date of each sort: remove one, or join the texts.",
        )

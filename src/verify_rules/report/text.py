"""Results as text for a terminal: the answer first, then why, each line with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from verify_rules.analysis import Answer, Audit, Case, RulingResult
from verify_rules.analysis.ask import Stopped
from verify_rules.explain import Absent, Decider, Fact, Reason, Source
from verify_rules.explain.words import Language
from verify_rules.model.model import Claim
from verify_rules.source import Span

SHOWN = 6
# How many levels of facts are shown unless everything is.
DEPTH = 2

TEXTS: dict[str, dict[str, str]] = {
    "en": {
        "yes": "yes",
        "no": "no",
        "depends": "depends",
        "impossible": "impossible",
        "required": "required",
        "permitted": "permitted",
        "forbidden": "forbidden",
        "not permitted": "not permitted",
        "by": "by",
        "of": "of",
        "because": "because",
        "above": "(see above)",
        "since": "since step {n}, {s}",
        "since_prologue": "from the board at the start ({s})",
        "beats": "stronger than",
        "lifted": "lifted",
        "lifted_by": "lifted by",
        "absent": "would change it, but doesn't apply",
        "idle": "doesn't apply",
        "requirement": "a requirement isn't met",
        "nothing": "nothing permits it",
        "nearest": "the nearest permission",
        "lacks": "lacks",
        "steering": "steered to",
        "duty": "has to take",
        "price": "at this price:",
        "more": "and {n} more (--all)",
        "reading": "if {r}",
        "same": "the same under all readings",
        "stopped": "step {n}, {s}, can't happen",
        "stopped_prologue": "the board can't be: {s} can't happen",
        "fault": "step {n}, {s}, sets a value out of range",
        "none": "nothing to take: an argument is none",
        "against": "it doesn't hold as the open points are read by default",
        "effect": "effect",
        "expected": "expected",
        "got": "got",
        "true": "it is so",
        "false": "it is not so",
    },
    "ja": {
        "yes": "はい",
        "no": "いいえ",
        "depends": "解釈による",
        "impossible": "不可能",
        "required": "強制",
        "permitted": "可能",
        "forbidden": "禁止",
        "not permitted": "許可なし",
        "by": "根拠",
        "of": "持ち主",
        "because": "理由",
        "above": "（上記）",
        "since": "手順{n} {s} から",
        "since_prologue": "最初の盤面から（{s}）",
        "beats": "優先される",
        "lifted": "無効化",
        "lifted_by": "無効にするもの",
        "absent": "適用されれば結果が変わるが、適用されない",
        "idle": "適用されない",
        "requirement": "要件を満たさない",
        "nothing": "許可するものがない",
        "nearest": "最も近い許可",
        "lacks": "不足",
        "steering": "誘導先",
        "duty": "強制される先",
        "price": "代償：",
        "more": "他{n}件（--all）",
        "reading": "{r} ならば",
        "same": "どの解釈でも同じ",
        "stopped": "手順{n} {s} は起こり得ない",
        "stopped_prologue": "盤面が成立しない：{s} は起こり得ない",
        "fault": "手順{n} {s} は範囲外の値を設定する",
        "none": "引数がない",
        "against": "未確定の点を標準の読み方で読むと成り立たない",
        "effect": "効果",
        "expected": "期待",
        "got": "結果",
        "true": "成り立つ",
        "false": "成り立たない",
    },
}


class Text:
    """Writes results as lines; `everything` leaves nothing out."""

    def __init__(self, language: Language = "en", everything: bool = False) -> None:
        self.texts = TEXTS[language]
        self.language = language
        self.everything = everything

    def say(self, key: str, **parts: object) -> str:
        """A text of the table, filled in."""
        return self.texts[key].format(**parts)

    # ------------------------------------------------------------ ask

    def answer(self, answer: Answer) -> Iterator[str]:
        """An answer with its reasons."""
        yield f"{answer.question}: {self.say(answer.answer)}"
        if answer.depends:
            for case in answer.cases:
                yield "  " + self.reading(case.readings) + ": " + self.truth(case)
                yield from _indent(self.case(case), 2)
        else:
            for case in answer.cases:
                yield from _indent(self.case(case), 1)

    def truth(self, case: Case) -> str:
        """What a case says."""
        if case.value is None:
            return self.say("impossible")
        return self.say("yes" if case.value else "no")

    def reading(self, readings: Mapping[str, str]) -> str:
        """The readings of a case."""
        return self.say("reading", r=", ".join(f"{name} = {option}" for name, option in readings.items()))

    def case(self, case: Case) -> Iterator[str]:
        """Why a case is as it is."""
        if case.stopped is not None:
            yield from self.stopped(case.stopped)
        brief = len(case.pairs) > 1 and not self.everything
        ruled_out: dict[Source, list[str]] = {}
        alike: dict[Reason, list[str]] = {}
        for pair in case.pairs:
            if brief and pair.stage == "requires" and pair.requirement is not None:
                ruled_out.setdefault(pair.requirement, []).append(pair.action)
            else:
                alike.setdefault(replace(pair, action=""), []).append(pair.action)
        said: set[Fact] = set()
        for reason, actions in alike.items():
            yield from self.pair(replace(reason, action=", ".join(actions)), said)
        for requirement, actions in ruled_out.items():
            yield f"{', '.join(actions)}: {self.say('impossible')} — {self.brief(requirement)}"
        for fact in case.because:
            yield from self.fact(fact)

    def stopped(self, stopped: Stopped) -> Iterator[str]:
        """Why a step could not happen."""
        key = "fault" if stopped.fault else "stopped_prologue" if stopped.prologue else "stopped"
        yield self.say(key, n=stopped.number, s=stopped.text) + f"  ({_place(stopped.span)})"
        if stopped.fault:
            yield "  " + stopped.fault
        if stopped.reason is not None:
            yield from _indent(self.pair(stopped.reason), 1)

    def pair(self, reason: Reason, said: set[Fact] | None = None) -> Iterator[str]:
        """A pair's verdict and why; what was `said` of another pair isn't told again in full."""
        if reason.action:
            yield f"{reason.action}: {self.say(reason.verdict)}"
        yield from _indent(self._why(reason, set() if said is None else said), 1 if reason.action else 0)

    def _why(self, reason: Reason, said: set[Fact]) -> Iterator[str]:
        if reason.stage == "requires":
            if reason.requirement is None:
                yield self.say("none")
            else:
                yield f"{self.say('requirement')}: {self.source(reason.requirement)}"
        for decider in reason.by:
            yield self.decider(decider)
        if reason.toward:
            yield f"{self.say('steering' if reason.stage == 'steering' else 'duty')}: {', '.join(reason.toward)}"
        if reason.verdict == "not permitted":
            yield self.say("nothing")
        if reason.nearest is not None:
            yield f"{self.say('nearest')}: {self.source(reason.nearest.source)}"
            yield f"  {self.say('lacks')}: {self._lacks(reason.nearest)}"
        for fact in reason.because:
            first, *rest = self.fact(fact)
            again = bool(rest) and fact in said
            yield f"{self.say('because')}: {first}" + (f" {self.say('above')}" if again else "")
            yield from () if again else rest
            said.add(fact)
        for decider in reason.beats:
            yield f"{self.say('beats')}: {self.source(decider.source)}"
        for decider in reason.lifted:
            by = ", ".join(self.source(s) for s in decider.lifted_by)
            yield f"{self.say('lifted')}: {self.source(decider.source)} — {self.say('lifted_by')} {by}"
        yield from self.absent(reason.absent)

    def decider(self, decider: Decider) -> str:
        """A norm that decides, on one line."""
        carrier = f" {self.say('of')} {decider.carrier}" if decider.carrier else ""
        text = f"{self.say('by')} {self.source(decider.source)}{carrier}"
        if decider.word == "price" and decider.price:
            text += f" — {self.say('price')} {decider.price}"
        return text

    def source(self, source: Source) -> str:
        """A clause: its name, what it cites, its place and its title."""
        cites = f", {', '.join(source.cites)}" if source.cites else ""
        title = f" “{source.title}”" if source.title else ""
        return f"{source.name}{title}{cites}  ({_place(source.span)})"

    def fact(self, fact: Fact, depth: int = 0) -> Iterator[str]:
        """A fact, what made it so, and what it rests on: by default only as deep as there are clauses and steps."""
        yield self._line(fact)
        below = fact.because if self.everything else tuple(_told(fact.because))
        if self.everything or depth < DEPTH:
            for inner in below:
                yield from _indent(self.fact(inner, depth + 1), 1)
        if self.everything or depth == 0:
            yield from _indent(self.absent(fact.absent), 1)

    def _line(self, fact: Fact) -> str:
        line = fact.text
        if fact.origin is not None:
            key = "since_prologue" if fact.origin.prologue else "since"
            line += f" — {self.say(key, n=fact.origin.number, s=fact.origin.text)}"
        if fact.source is not None:
            line += f" — {self.brief(fact.source)}"
        return line

    def brief(self, source: Source) -> str:
        """A clause without its title."""
        cites = f", {', '.join(source.cites)}" if source.cites else ""
        return f"{source.name}{cites}  ({_place(source.span)})"

    def _label(self, source: Source) -> str:
        """A name in a list: an effect may have the name of an ability, and says that it is one."""
        return f"{source.name} ({self.say('effect')})" if source.what == "effect" else source.name

    def _lacks(self, item: Absent) -> str:
        return "; ".join(self._line(fact) for fact in item.lacks)

    def absent(self, absent: tuple[Absent, ...]) -> Iterator[str]:
        """Exceptions that don't apply: by name, or with `everything` each with what it lacks."""
        if not absent:
            return
        if not self.everything:
            # An exception that is itself at work is worth its reason; the others just aren't there.
            working = [item for item in absent if any(fact.source is not None for fact in item.lacks)]
            for item in working:
                facts = [line for fact in item.lacks for line in self.fact(fact, 1)]
                yield f"{self.say('idle')}: {self.brief(item.source)}"
                yield from _indent(facts, 1)
            names = list(dict.fromkeys(self._label(item.source) for item in absent if item not in working))
            if not names:
                return
            more = [self.say("more", n=len(names) - SHOWN)] if len(names) > SHOWN else []
            yield f"{self.say('absent')}: {', '.join([*names[:SHOWN], *more])}"
            return
        yield self.say("absent") + ":"
        for item in absent:
            yield f"  {self.brief(item.source)}: {self._lacks(item)}"

    # ------------------------------------------------------------ audit

    def ruling(self, result: RulingResult) -> Iterator[str]:
        """A ruling that isn't simply confirmed, with what was expected, what came out, and why."""
        ruling = result.ruling
        title = f" “{ruling.title}”" if ruling.title else ""
        yield f"{result.outcome.replace('_', ' ').upper()} {ruling.name}{title}  ({_place(ruling.span)})"
        if result.note:
            yield f"  {result.note}"
        if result.against_defaults:
            yield f"  {self.say('against')}"
        if result.outcome == "stale" and not self.everything:
            return  # it was right in its time: no finding, so nothing to explain unless asked
        if result.stopped is not None:
            yield from _indent(self.stopped(result.stopped), 1)
            return
        for check in result.expectations:
            if check.outcome == "confirmed":
                continue
            yield f"  {self.say('expected')}: {check.text}  ({_place(check.span)})"
            if not check.cases:
                yield f"  {self.say('got')}: {check.outcome}"
            for case in check.cases:
                label = self.reading(case.readings) + ": " if case.readings else ""
                value = self.say("impossible" if case.value is None else "true" if case.value else "false")
                yield f"  {self.say('got')}: {label}{value}"
                yield from _indent(self.case(case), 2)

    def summary(self, audit: Audit) -> Iterator[str]:
        """The numbers."""
        counts = audit.summary
        total, expected, left = len(audit.results), audit.expectations, audit.unchecked
        words = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counts.items() if n or name in _ALWAYS)
        yield f"{total} ruling{'s' * (total != 1)}: {words}"
        yield (f"{expected} expectation{'s' * (expected != 1)} checked; {left} statement{'s' * (left != 1)} unchecked")

    def claims(self, claims: Iterable[Claim]) -> Iterator[str]:
        """Claims, which aren't searched yet."""
        for claim in claims:
            title = f" “{claim.title}”" if claim.title else ""
            yield f"NOT SEARCHED claim {claim.name}{title}  ({_place(claim.span)})"

    def unchecked(self, results: Iterable[RulingResult]) -> Iterator[str]:
        """What sources say and scripts don't test."""
        for result in results:
            for text in result.ruling.unchecked:
                yield f"unchecked: {result.ruling.name}: {text}  ({_place(result.ruling.span)})"


_ALWAYS = ("confirmed", "refuted", "impossible", "depends")


def _told(facts: tuple[Fact, ...]) -> Iterator[Fact]:
    """The facts that a step or a clause made so; a mere definition gives way to what it rests on."""
    for fact in facts:
        if fact.source is not None or fact.origin is not None or not fact.because:
            yield fact
        else:
            below = list(_told(fact.because))
            yield from below if len(below) <= 1 else [fact]


def _place(span: Span) -> str:
    return f"{span.path}:{span.line}" if span.line else span.path


def _indent(lines: Iterable[str], levels: int) -> Iterator[str]:
    for line in lines:
        yield "  " * levels + line

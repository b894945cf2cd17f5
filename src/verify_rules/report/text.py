"""Results as text for a terminal: the answer first, then why, each line with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from verify_rules.analysis import Answer, Audit, Case, RulingResult
from verify_rules.analysis.ask import Stopped
from verify_rules.explain import Absent, Decider, Fact, Reason, Source
from verify_rules.explain.texts import Language
from verify_rules.model.expr import Ask
from verify_rules.model.model import Claim, Model
from verify_rules.report.words import TEXTS
from verify_rules.source import Span

SHOWN = 6
# How many levels of facts are shown unless everything is.
DEPTH = 2


class Text:
    """Writes results as lines; `everything` leaves nothing out. With a model, readings are told in its words."""

    def __init__(self, language: Language = "en", everything: bool = False, model: Model | None = None) -> None:
        self.texts = TEXTS[language]
        self.language = language
        self.everything = everything
        self.model = model

    def say(self, key: str, **parts: object) -> str:
        """A text of the table, filled in."""
        return self.texts[key].format(**parts)

    def labelled(self, label: str, text: str) -> str:
        """A text behind its label."""
        return self.say("label", a=label, b=text)

    def listed(self, parts: Iterable[str]) -> str:
        """Several, in a line."""
        return self.texts["comma"].join(parts)

    # ------------------------------------------------------------ ask

    def answer(self, answer: Answer) -> Iterator[str]:
        """An answer with its reasons."""
        yield self.labelled(answer.question, self.say(answer.answer))
        if not answer.depends:
            for case in answer.cases:
                yield from _indent(self.case(case), 1)
            return
        for name in answer.depends:
            title = None if self.model is None else self.model.readings[name].title
            if title is not None:
                yield "  " + self.labelled(self.say("open", r=name), title)
        for case in answer.cases:
            yield "  " + self.labelled(self.reading(case.readings), self.truth(case))
            yield from _indent(self.case(case), 2)

    def truth(self, case: Case) -> str:
        """What a case says."""
        if case.value is None:
            return self.say("impossible")
        return self.say("yes" if case.value else "no")

    def reading(self, readings: Mapping[str, str]) -> str:
        """The readings of a case."""
        return self.say("reading", r=self.listed(self._option(*reading) for reading in readings.items()))

    def _option(self, name: str, option: str) -> str:
        options = () if self.model is None else self.model.readings[name].options
        title = next((o.title for o in options if o.name == option), None)
        return f"{name} = {option}" + (self.say("meaning", t=title) if title else "")

    def case(self, case: Case) -> Iterator[str]:
        """Why a case is as it is."""
        if case.stopped is not None:
            yield from self.stopped(case.stopped)
        ruled_out: dict[Source, list[str]] = {}
        alike: dict[Reason, list[str]] = {}
        # A pair that a requirement rules out is told in a line beside others; without others it is the reason.
        others = any(pair.stage != "requires" for pair in case.pairs)
        for pair in case.pairs:
            if others and not self.everything and pair.stage == "requires" and pair.requirement is not None:
                ruled_out.setdefault(pair.requirement, []).append(pair.action)
            else:
                alike.setdefault(replace(pair, action=""), []).append(pair.action)
        said: set[Fact] = set()
        for reason, actions in alike.items():
            yield from self.pair(replace(reason, action=self._few(actions)), said)
        if ruled_out:
            told = [self.say("beside", a=self._few(a), s=self._named(r)) for r, a in ruled_out.items()]
            yield self.labelled(self.say("also_impossible"), self.texts["semicolon"].join(told))
        for fact in case.because:
            yield from self.fact(fact)

    def _named(self, source: Source) -> str:
        """A clause by its name and title."""
        return source.name + (self.say("title", t=source.title) if source.title else "")

    def _few(self, names: Iterable[str]) -> str:
        """Names in a line; of many the first ones, and how many more there are."""
        names = list(names)
        if self.everything or len(names) <= SHOWN:
            return self.listed(names)
        return self.listed([*names[:SHOWN], self.say("more", n=len(names) - SHOWN)])

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
            yield self.labelled(reason.action, self.say(reason.verdict))
        yield from _indent(self._why(reason, set() if said is None else said), 1 if reason.action else 0)

    def _why(self, reason: Reason, said: set[Fact]) -> Iterator[str]:
        if reason.stage == "requires":
            if reason.requirement is None:
                yield self.say("none")
            else:
                yield self.labelled(self.say("requirement"), self.source(reason.requirement))
        for decider in reason.by:
            yield self.decider(decider, reason.verdict)
        toward = self.listed(reason.toward)
        if toward and toward != reason.action:
            key = "steering" if reason.stage == "steering" else "duty" if len(reason.toward) == 1 else "duties"
            yield self.labelled(self.say(key), toward)
        if reason.verdict == "not permitted":
            yield self.say("nothing")
        if reason.nearest is not None:
            yield self.labelled(self.say("nearest"), self.source(reason.nearest.source, reason.nearest.carrier))
            yield "  " + self.labelled(self.say("lacks"), self._lacks(reason.nearest))
        for fact in _news(reason.because):
            first, *rest = self.fact(fact)
            again = bool(rest) and fact in said
            yield self.labelled(self.say("because"), first) + (f" {self.say('above')}" if again else "")
            yield from () if again else rest
            said.add(fact)
        for decider in reason.beats:
            yield self.labelled(self.say("beats"), self.source(decider.source, decider.carrier))
        for decider in reason.lifted:
            by = self.listed(self.source(s) for s in decider.lifted_by)
            lifted = self.source(decider.source, decider.carrier)
            yield self.labelled(self.say("lifted"), lifted)
            yield "  " + self.labelled(self.say("lifted_by"), by)
        yield from self.absent(reason.absent)

    def decider(self, decider: Decider, verdict: str = "") -> str:
        """A norm that decides, on one line."""
        text = self.say("by", s=self.source(decider.source, decider.carrier))
        if decider.word == "price" and decider.price:
            text += " — " + self.labelled(self.say("unpaid" if verdict == "forbidden" else "price"), decider.price)
        return text

    def source(self, source: Source, carrier: str | None = None) -> str:
        """A clause: its name, whose it is, its title, what it cites, and its place."""
        whose = self.say(f"{source.what}_of", o=carrier) if carrier and source.what in ("ability", "effect") else ""
        title = self.say("title", t=source.title) if source.title not in (None, source.name) else ""
        return f"{source.name}{whose}{title}{self._cites(source)}  ({_place(source.span)})"

    def fact(self, fact: Fact, depth: int = 0) -> Iterator[str]:
        """A fact, what made it so, and what it rests on: by default only as deep as there are clauses and steps."""
        yield self._line(fact)
        below = fact.because if self.everything else () if _plain(fact) else tuple(_told(_news(fact.because)))
        if self.everything or depth < DEPTH:
            for inner in below:
                yield from _indent(self.fact(inner, depth + 1), 1)
        if self.everything or depth == 0:
            yield from _indent(self.absent(fact.absent), 1)

    def _line(self, fact: Fact) -> str:
        line = fact.text
        if fact.origin is not None:
            prologue = fact.origin.prologue
            key = "since" if not prologue else "since_prologue_step" if self.everything else "since_prologue"
            if fact.origin.supposed:
                key = "after"
            line += f" — {self.say(key, n=fact.origin.number, s=fact.origin.text)}"
            if fact.origin.by is not None:
                line += self.say("amended", b=fact.origin.by)
        if fact.source is not None:
            line += f" — {self.brief(fact.source)}"
        return line

    def brief(self, source: Source) -> str:
        """A clause without its title."""
        return f"{source.name}{self._cites(source)}  ({_place(source.span)})"

    def _cites(self, source: Source) -> str:
        return "".join(self.texts["comma"] + cite for cite in source.cites)

    def _label(self, source: Source) -> str:
        """A name in a list: an effect may have the name of an ability, and says that it is one.

        In Japanese the game's own word stands for an ability or effect.
        """
        term = source.title if self.language == "ja" and source.what in ("ability", "effect") else None
        name = source.name if term is None else f"「{term}」"
        return name + self.say("effect") if source.what == "effect" else name

    def _lacks(self, item: Absent) -> str:
        return self.texts["semicolon"].join(self._line(fact) for fact in item.lacks)

    def absent(self, absent: tuple[Absent, ...]) -> Iterator[str]:
        """Exceptions that don't apply: by name, or with `everything` each with what it lacks."""
        if not absent:
            return
        if not self.everything:
            # An exception that is there, or would be but for a clause, is worth its reason; the others just aren't.
            working = [item for item in absent if item.carrier is not None or any(map(_telling, item.lacks))]
            for item in working:
                facts = [line for fact in _news(item.lacks) for line in self.fact(fact, 1)]
                yield self.labelled(self.say("idle"), self.source(item.source, item.carrier))
                yield from _indent(facts, 1)
            told = {self._label(item.source) for item in working}
            names = dict.fromkeys(label for item in absent if (label := self._label(item.source)) not in told)
            if names:
                yield self.labelled(self.say("absent"), self._few(names))
            return
        yield self.labelled(self.say("absent"), "").rstrip()
        for item in absent:
            yield "  " + self.labelled(self.brief(item.source), self._lacks(item))

    # ------------------------------------------------------------ audit

    def ruling(self, result: RulingResult) -> Iterator[str]:
        """A ruling that isn't simply confirmed, with what was expected, what came out, and why."""
        ruling = result.ruling
        outcome = self.say("outcome", o=self.say(f"outcome_{result.outcome}").upper())
        title = self.say("title", t=ruling.title) if ruling.title else ""
        yield f"{outcome} {ruling.name}{title}  ({_place(ruling.span)})"
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
            yield "  " + self.labelled(self.say("expected"), f"{check.text}  ({_place(check.span)})")
            if not check.cases:
                yield "  " + self.labelled(self.say("got"), self.say(f"outcome_{check.outcome}"))
            for case in check.cases:
                value = self.say("impossible" if case.value is None else "true" if case.value else "false")
                told = self.labelled(self.reading(case.readings), value) if case.readings else value
                yield "  " + self.labelled(self.say("got"), told)
                yield from _indent(self.case(case), 2)

    def summary(self, audit: Audit) -> Iterator[str]:
        """The numbers."""
        counts = audit.summary
        total, expected, left = len(audit.results), audit.expectations, audit.unchecked
        words = [
            self.say("counted", n=n, o=self.say(f"outcome_{name}"))
            for name, n in counts.items()
            if n or name in _ALWAYS
        ]
        yield self.labelled(self.say("ruling" if total == 1 else "rulings", n=total), self.listed(words))
        checked = self.say("expectation" if expected == 1 else "expectations", n=expected)
        yield checked + self.texts["semicolon"] + self.say("statement" if left == 1 else "statements", n=left)

    def claims(self, claims: Iterable[Claim]) -> Iterator[str]:
        """Claims, which aren't searched yet."""
        for claim in claims:
            title = self.say("title", t=claim.title) if claim.title else ""
            yield f"{self.say('claim')} {claim.name}{title}  ({_place(claim.span)})"

    def unchecked(self, results: Iterable[RulingResult]) -> Iterator[str]:
        """What sources say and scripts don't test."""
        for result in results:
            for text in result.ruling.unchecked:
                told = self.labelled(self.say("unchecked"), self.labelled(result.ruling.name, text))
                yield f"{told}  ({_place(result.ruling.span)})"


_ALWAYS = ("confirmed", "refuted", "impossible", "depends")


def _told(facts: tuple[Fact, ...]) -> Iterator[Fact]:
    """The facts that a step or a clause made so; a mere definition gives way to what it rests on."""
    for fact in facts:
        if fact.source is not None or fact.origin is not None or not fact.because:
            yield fact
        else:
            below = list(_told(fact.because))
            yield from below if len(below) <= 1 else [fact]


def _news(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Without what only the model's bookkeeping says, unless there is nothing else."""
    return tuple(fact for fact in facts if not fact.minor) or facts


def _plain(fact: Fact) -> bool:
    """Whether a clause makes it so because of nothing but how things have been from the start."""
    return fact.source is not None and not any(map(_eventful, fact.because))


def _eventful(fact: Fact) -> bool:
    """Whether a step of the script, a clause or another verdict has a part in it."""
    stepped = fact.origin is not None and not fact.origin.prologue
    return stepped or fact.source is not None or any(map(_eventful, fact.because))


def _telling(fact: Fact) -> bool:
    """Whether what an exception lacks is more than that something isn't there: a clause, or another verdict."""
    claim = fact.claim
    asked = claim is not None and claim.truth and isinstance(claim.expr, Ask) and claim.expr.modality in ("can", "must")
    return fact.source is not None or asked


def _place(span: Span) -> str:
    return f"{span.path}:{span.line}" if span.line else span.path


def _indent(lines: Iterable[str], levels: int) -> Iterator[str]:
    for line in lines:
        yield "  " * levels + line

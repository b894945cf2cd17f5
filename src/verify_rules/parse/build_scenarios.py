"""The grammar's scenarios → their trees: setup, cards, scripts, rulings and claims."""

from __future__ import annotations

from typing import Any, cast

from lark import Token
from lark.tree import Meta

from verify_rules.parse import tree as t
from verify_rules.parse.build_pieces import NOTES, Piece, Pieces, Places, day, string, whole

# What may stand at most once with a ruling or claim; several `cites` are several sources.
META = ("url", "dated", "kind", "confidence", "since", "until", "disputed", "out_of_scope")


class Scenarios(Places):
    """One method per rule of the chapter on scenarios."""

    def over(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("over", str(c[0]), self.span(meta))

    def setup_types(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("types", c[0], self.span(meta))

    def setup_with(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("with", c[0], self.span(meta))

    def setup_of(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("of", c[0], self.span(meta))

    def setup_in_play(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("in_play", c[1], self.span(meta))

    def setup_then(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("then", tuple(c), self.span(meta))

    def setup_flag(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("flag", t.SetupFlag(str(c[0]), c[1], span=self.span(meta)), self.span(meta))

    def setup(self, meta: Meta, c: list[Any]) -> t.Setup:
        self.once(c, "types", "with", "of", "in_play")
        p = Pieces(c)
        return t.Setup(
            str(c[0]),
            str(c[1]),
            p.part("over"),
            p.part("types"),
            p.part("with"),
            p.part("of"),
            p.part("in_play"),
            sum(p.parts("then"), ()),
            p.parts("flag"),
            span=self.span(meta),
        )

    def quote(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("quote", string(c[0]), self.span(meta))

    def card_types(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("types", tuple(str(name) for name in c), self.span(meta))

    def grant(self, meta: Meta, c: list[Any]) -> t.Grant:
        if c[0].type == "UNKNOWN":
            return t.Grant(unknown=True, span=self.span(meta))
        return t.Grant(str(c[0]), tuple(c[1:]), span=self.span(meta))

    def card_with(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("with", tuple(c), self.span(meta))

    def card_of(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("of", str(c[0]), self.span(meta))

    def flag(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("flag", str(c[0]), self.span(meta))

    def card_under(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("under", str(c[0]), self.span(meta))

    def in_play(self, meta: Meta, c: list[Any]) -> Piece:
        p = Pieces(c)
        return Piece("in_play", (p.parts("flag"), p.parts("under")), self.span(meta))

    def card_value(self, meta: Meta, c: list[Any]) -> t.CardValue:
        value = None if isinstance(c[1], Token) else c[1]
        return t.CardValue(str(c[0]), value, span=self.span(meta))

    def card_choices(self, meta: Meta, c: list[Any]) -> t.CardValue:
        return t.CardValue(str(c[0]), None, tuple(c[1:]), span=self.span(meta))

    def card_values(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("values", tuple(c), self.span(meta))

    def card(self, meta: Meta, c: list[Any]) -> t.Card:
        self.once(c, *NOTES)
        p = Pieces(c)
        return t.Card(
            string(c[0]),
            p.notes(),
            p.part("types"),
            p.part("with") or (),
            p.part("values") or (),
            p.part("quote"),
            span=self.span(meta),
        )

    def entry(self, meta: Meta, c: list[Any]) -> t.Entry:
        p = Pieces(c)
        in_play = p.part("in_play")
        flags, under = in_play or ((), ())
        return t.Entry(
            str(c[0]),
            p.part("types") or (),
            p.string(),
            p.part("with") or (),
            p.part("of"),
            in_play is not None,
            flags,
            under,
            p.part("values") or (),
            span=self.span(meta),
        )

    def cards(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("cards", Pieces(c).nodes(t.Entry), self.span(meta))

    def step(self, meta: Meta, c: list[Any]) -> t.Step:
        return t.Step(c[0], span=self.span(meta))

    def step_unknown(self, meta: Meta, c: list[Any]) -> t.UnknownSteps:
        return t.UnknownSteps(1, span=self.span(meta))

    def steps_unknown(self, meta: Meta, c: list[Any]) -> t.UnknownSteps:
        return t.UnknownSteps(whole(c[-1]), True, span=self.span(meta))

    def mistaken(self, meta: Meta, c: list[Any]) -> t.Mistaken:
        return t.Mistaken(c[0], span=self.span(meta))

    def expect_formula(self, meta: Meta, c: list[Any]) -> t.ExpectFormula:
        return t.ExpectFormula(c[0], span=self.span(meta))

    def expect_open(self, meta: Meta, c: list[Any]) -> t.ExpectOpen:
        return t.ExpectOpen(c[0], span=self.span(meta))

    def expect_repaired(self, meta: Meta, c: list[Any]) -> t.ExpectRepaired:
        return t.ExpectRepaired(str(c[1]), str(c[2]), span=self.span(meta))

    def expect_not_repairable(self, meta: Meta, c: list[Any]) -> t.ExpectNotRepairable:
        return t.ExpectNotRepairable(span=self.span(meta))

    def expect(self, meta: Meta, c: list[Any]) -> t.Expect:
        return t.Expect(c[0], span=self.span(meta))

    def unchecked(self, meta: Meta, c: list[Any]) -> t.Unchecked:
        return t.Unchecked(string(c[0]), span=self.span(meta))

    def out_of_scope(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("out_of_scope", string(c[-1]), self.span(meta))

    def script(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("script", tuple(c), self.span(meta))

    def meta_cites(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("cites", string(c[0]), self.span(meta))

    def meta_url(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("url", string(c[0]), self.span(meta))

    def meta_dated(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("dated", day(c[0]), self.span(meta))

    def meta_kind(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("kind", str(c[0]), self.span(meta))

    def meta_confidence(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("confidence", str(c[0]), self.span(meta))

    def meta_since(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("since", day(c[0]), self.span(meta))

    def meta_until(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("until", day(c[0]), self.span(meta))

    def meta_disputed(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("disputed", string(c[0]), self.span(meta))

    def _meta(self, p: Pieces) -> t.Meta:
        self.once(p.children, *META)
        return t.Meta(
            p.parts("cites"),
            p.part("url"),
            p.part("dated"),
            p.part("kind"),
            p.part("confidence"),
            p.part("since"),
            p.part("until"),
            p.part("disputed"),
            p.part("out_of_scope"),
        )

    def ruling(self, meta: Meta, c: list[Any]) -> t.Ruling:
        p = Pieces(c)
        script = p.part("script") or ()
        lines = tuple(line for line in script if not isinstance(line, Piece))
        outside = [line for line in script if isinstance(line, Piece)]
        return t.Ruling(
            cast(Any, str(c[0])),
            str(c[1]),
            p.string(),
            self._meta(Pieces([*c, *outside])),
            p.part("cards") or (),
            lines,
            span=self.span(meta),
        )

    def claim(self, meta: Meta, c: list[Any]) -> t.Claim:
        p = Pieces(c)
        mode = next(str(x) for x in c if isinstance(x, Token) and x.type == "CLAIM")
        return t.Claim(str(c[0]), p.string(), self._meta(p), cast(Any, mode), c[-1], span=self.span(meta))

    def given(self, meta: Meta, c: list[Any]) -> t.Given:
        p = Pieces(c)
        return t.Given(p.nodes(t.Entry), p.nodes(t.Step, t.Mistaken), span=self.span(meta))

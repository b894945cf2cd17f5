"""A small game of robots for tests: short, and with every construct whose meaning is easy to get wrong."""

from __future__ import annotations

import tempfile
from pathlib import Path

from verify_rules.diagnostics import render
from verify_rules.model.load import load
from verify_rules.model.model import Model, Scenario

ROBOTS = """
game "Robots"
source RB "Robot book" versions 1.0
enum Side { red, blue }
enum Make { drone, tank }
enum Until { soon, start(Side) }

kind Bot {
  side   : Side = red
  makes  : set of Make = {drone}
  skills : set of Ability = {}
  weight : int 0..9 = 1
  var on      : bool = false
  var warm    : bool = false clock
  var spent   : bool = false of body
  var charge  : int 0..3 = 0 of body
  var partner : Bot? = none
  var effects : per Until set of Effect = {} of body
}
union Aim = Bot | base
union Holder = Bot | Side
var turn : Side = red
var next : Side? = none
var last : Aim? = none
var orders : per Side set of Effect = {}

define foes(a, b) = a.side ≠ b.side
define heavy(b) = b.weight ≥ 5 or tank in b.makes

reading weather "does rain keep a bot cold?" { dry (default) "no", rain "yes", storm "yes, and it bars" }
reading manual  "do orders reach tanks?" { yes (default), no }

status has(b: Bot, A: Ability) makes live
status affected(h: Holder, E: Effect) makes live
status cold(b: Bot)
status ready(b: Bot)

rule built_in   has(b, A) when b.on and A in b.skills
rule on_bot     affected(b: Bot, E) when b.on and some u: Until. E in b.effects[u]
rule on_side    affected(s: Side, E) when E in orders[s]
rule coldness "cold until it has warmed up" cites RB "7"
  cold(b) when b.on and not b.warm
  forbid strike(b, _) when cold(b)
rule rainy      cold(b) when b.on and weather ≠ dry and drone in b.makes
rule aims "the base, or a spent bot"
  permit strike(b, base)
  permit strike(b, t: Bot) when t.spent
rule storms     forbid strike(_, base) when weather = storm
rule rest_right permit rest(b) when not can strike(b, _)
rule readiness  ready(b) when b.on

precedence card forbid > card permit > rule forbid > rule permit

action strike(b: Bot, t: Aim)
  requires b.on and b.side = turn and not b.spent
  rule aim_ok "never at an ally" cites RB "8"
    requires t is Bot implies t.on and foes(t, b)
  sets b.spent := true, last := t

action rest(b: Bot)
  requires b.on
  sets b.spent := false

event boot(b: Bot, onto: set of Bot = {})
  requires not b.on
  resets b
  sets b.on := true
  rule absorbs "takes the charge of what it is built on" cites RB "9"
    sets b.spent := some o in onto. o.spent
  for o: Bot where o in onto
    resets o except warm

event pair(b: Bot, with_whom: Bot)
  sets b.partner := with_whom, with_whom.partner := b

event swap()
  for b: Bot where b.partner ≠ none
    sets b.charge := b.partner.charge, b.warm := b.partner.warm

event load(b: Bot)
  sets b.charge := b.charge + 1
event load_twice(b: Bot)
  does load(b)
  sets b.charge := b.charge + 2
event load_all()
  does load_for(red) when turn = red
  does load_for(blue)
event load_for(s: Side)
  requires "somebody is there" some b: Bot. b.side = s
  for b: Bot where b.side = s
    sets b.charge := b.charge + 1
event vanish(b: Bot)
  requires b.on
  resets b
event transfer(a: Bot, b: Bot)
  carries a to b
event transfer_to_partner(b: Bot)
  carries b to b.partner
event transfer_from_partner(b: Bot)
  carries b.partner to b
  sets b.partner.charge := b.charge + 7
event whose_turn()
  sets turn := next
event begin(s: Side)
  sets turn := s
  for b: Bot where b.side = s
    sets b.warm := b.on and (weather = dry or not (drone in b.makes)), b.spent := false
event rig(E: Effect, b: Bot, u: Until = soon)
  sets b.effects[u] := b.effects[u] + E
event order(E: Effect, s: Side)
  sets orders[s] := orders[s] + E

ability swift           not cold(self)
ability clumsy          forbid strike(self, _)
ability daring          permit strike(self, t: Bot)
ability careful         permit at rule strength strike(self, t: Bot)
ability timid           forbid strike(self, base)
ability lure            steer strike(b, self) when foes(b, self)
ability zeal            require strike(self, _) when self.charge = 0
ability hunter          require strike(self, t: Bot)
ability teacher         has(o, swift) when o ≠ self and not foes(o, self)
ability jammer          not has(o, A) when o ≠ self and A forbids strike
ability silencer        not has(o, A) when o ≠ self
ability slug            not ready(self)
ability ban(m: Make)    forbid strike(b, _) when m in b.makes
ability banner(m: Make) has(o, ban(m)) when o ≠ self and not foes(o, self)
ability toll            price strike(self, _) "a charge" when self.charge ≥ 1
ability liberator       lifts forbid from abilities of b for strike(b, base) when not foes(b, self)
ability warmth          lifts coldness for strike(self, base)
ability calm            lifts require, steer for strike(self, _)
ability pardon          lifts card forbid from effects, ability clumsy for strike(b, _) when not foes(b, self)

effect slow             forbid strike(self, _)
effect goad on Side     require strike(b, _) when b.side = self and (manual = yes or not heavy(b))
effect freed on Side    lifts coldness for strike(b, _) when b.side = self

setup for b: Bot over below
  types b.makes
  with b.skills
  of b.side
  in play boot(b, onto: below)
  then begin(blue), begin(red)
  flag spent spend(b)
event spend(b: Bot) sets b.spent := true
"""


def model_of(*scenarios: str, rules: str = ROBOTS) -> Model:
    """The model of the rules with `scenario` items after them; the text has to be right."""
    text = "```rules\n" + rules + "\n" + "\n".join(scenarios) + "\n```\n"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "toy.md").write_text(text, encoding="utf-8")
        loaded = load(Path(folder), cache=False)
    assert not loaded.failed, "\n".join(render(d, loaded.files) for d in loaded.diagnostics if d.severity == "error")
    assert loaded.model is not None
    return loaded.model


def scenario(model: Model, name: str = "s") -> Scenario:
    """The scenario of this name."""
    return next(r.scenario for r in model.rulings if r.name == name)

"""What a syntax error was probably meant to be: slips that many make, each with the way to write it.

Nothing here knows a game. Where a model is loaded its words are passed in as a `Lexicon`, and hints name them.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

# What a card of a scenario is said with, in the order in which it has to stand.
ORDER = "NAME : TYPE, … with ABILITY, … of OWNER in play FLAG … under NAME { field = value }"

_PLAIN = {
    **dict.fromkeys("“”„‟«»「」『』‘’", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    "、": ",",
    "。": ".",
}
NEAR = 300
"""As many characters before a slip are looked at: a search for what ends there is quadratic in a line's length."""
_OPAQUE = re.compile(r'"[^"\n]*"|--[^\n]*')
_NAME = r"[A-Za-z_]\w*"
_WORDS = r"\w+"
# What may stand before a call in a question.
_ASKING = "can|cannot|must|need not|not permitted|impossible|possible|barred|forbidden"
# Words behind which a condition is looked for, where the language has `when`.
_CONDITIONS = ("if", "where", "while")
OF_A_CARD = ("with", "of", "in", "under")
# Words that end a row of names which may be the arguments of a call.
BETWEEN = ("and", "or", "by", "implies", "iff", "when", "is", "in")


@dataclass(frozen=True)
class Lexicon:
    """The words of a model, for hints: its terms by name, flags behind `in play`, events with their parameters."""

    terms: Mapping[str, str] = field(default_factory=dict)
    flags: frozenset[str] = frozenset()
    calls: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


NO_MODEL = Lexicon()


@dataclass(frozen=True)
class Slip:
    """What to say of an error; `message` and `place` (offset, length) only where they are others than usual."""

    help: str
    message: str = ""
    place: tuple[int, int] | None = None


@dataclass(frozen=True)
class Spot:
    """An error in a text: where, what stands there, which terminals could, and the nearest keyword, if one is near."""

    start: str
    text: str
    offset: int
    found: str
    accepts: frozenset[str]
    near: str
    lexicon: Lexicon
    parses: Callable[[str], bool]
    """Whether a text is a question."""

    @property
    def code(self) -> str:
        """The text, with what stands in quotes or comments made unreadable; as long as before."""
        return _OPAQUE.sub(lambda x: ('"' if x[0][0] == '"' else " ") * len(x[0]), self.text)

    @property
    def before(self) -> str:
        """The code before the error."""
        return self.code[: self.offset]

    @property
    def after(self) -> str:
        """The code from the error on."""
        return self.code[self.offset :]

    @property
    def previous(self) -> str:
        """The name right before the error, or nothing."""
        found = re.search(rf"({_NAME})\s*$", self.before[-NEAR:])
        return found[1] if found else ""

    @property
    def same_line(self) -> bool:
        """Whether the error stands on the line of what is before it."""
        return "\n" not in self.before[len(self.before.rstrip()) :]

    @property
    def item(self) -> str:
        """The word that the item begins with."""
        found = re.match(rf"\s*({_NAME})", self.code) if self.start == "item" else None
        return found[1] if found else ""

    @property
    def part(self) -> str:
        """Which part of a scenario it is in: `cards`, `script`, or nothing."""
        if self.start == "given":
            return (
                "script" if re.search(rf";\s*{_NAME}\s*(?:\(|[\w;]|$)(?!\s*:)", self.code[: self.offset]) else "cards"
            )
        if self.item not in ("ruling", "scenario"):
            return ""
        return next((x for x in reversed(re.findall(r"\b(?:cards|script)\b(?!\s*:)", self.before))), "")

    @property
    def sentence(self) -> str:
        """The line of a script, or what stands between semicolons in a board, up to and behind the error."""
        marks = ";" if self.start == "given" else "\n"
        begin = self.before.rfind(marks) + 1
        end = self.code.find(marks, self.offset)
        return self.text[begin : len(self.text) if end < 0 else end].split("--")[0].strip()


def find(spot: Spot) -> Slip | None:
    """The slip that explains an error best, if one does."""
    for hint in (
        _bare,
        _wide,
        _foreign,
        _hyphens,
        _citation,
        _unknown_steps,
        _stop,
        _expect,
        _when,
        _behind,
        _known_call,
    ):
        slip = hint(spot)
        if slip is not None:
            return slip
    return _card(spot)


def find_late(spot: Spot) -> Slip | None:
    """What an error may mean if no word of the language is near."""
    return _call(spot)


def _bare(spot: Spot) -> Slip | None:
    """A question with what belongs to a script, or to a sentence, around it."""
    if spot.start != "question":
        return None
    bare = re.sub(r"^\s*expect\s+|\s*[?？]\s*$", "", spot.text)
    if bare == spot.text or not spot.parses(bare):
        return None
    extra = [f"`{x}`" for x in ("expect", "?", "？") if x in spot.text.replace(bare, "", 1)]
    return Slip(f"Leave {_joined(extra)} out: `{bare}`.")


# ---------------------------------------------------------------- letters


def plain(text: str) -> str:
    """What is probably meant by a character or word that has a plain form; nothing if it has none."""
    if text.isascii():
        return ""
    result = "".join(_PLAIN.get(x, unicodedata.normalize("NFKC", x)) for x in text)
    return result if result.isascii() else ""


def _wide(spot: Spot) -> Slip | None:
    """A full-width character, a curly quote, and so on."""
    at = spot.offset
    if not plain(spot.found[:1]):
        # A name and a full-width colon: what isn't understood is the name.
        behind = re.match(r"\w*\s*", spot.after)
        at += behind.end() if behind and spot.found.isascii() else 0
    if not plain(spot.code[at : at + 1]):
        return None
    line = spot.code[at:].split("\n")[0]
    strange = list(dict.fromkeys(x for x in line if plain(x)))
    pairs = [f"`{plain(x)}` for `{x}`" for x in strange[:4]]
    name = unicodedata.name(strange[0], "").lower()
    told = f"`{strange[0]}` ({name}) can't stand here" if name else f"`{strange[0]}` can't stand here"
    return Slip(f"Write {_joined(pairs)}.", told, (at, 1))


def _joined(words: list[str], word: str = "and") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {word} {words[-1]}"


def _foreign(spot: Spot) -> Slip | None:
    """A name in other than Latin letters; it may be a term of the model."""
    if not spot.found or spot.found.isascii() or not spot.found[0].isalpha():
        return None
    rest = spot.after.split("\n")[0]
    terms = spot.lexicon.terms
    meant = max((term for term in terms.values() if rest.startswith(term)), key=len, default="")
    if len(meant) < len(spot.found):
        near = difflib.get_close_matches(spot.found, sorted(set(terms.values())), n=1, cutoff=0.7)
        meant = near[0] if near else ""
    names = [f"`{name}`" for name, term in terms.items() if term == meant] if meant else []
    help = f"Did you mean {_joined(names, 'or')}?" if names else "Use the letters a to z, digits and `_`."
    if not names and "STRING" in spot.accepts:
        help += " The name of a card that is declared stands in quotes."
    return Slip(help, f"`{spot.found}` can't stand here: names are in Latin letters")


# ---------------------------------------------------------------- rulings


def _hyphens(spot: Spot) -> Slip | None:
    """The name of a ruling in several words."""
    head = re.match(r"\s*(?:ruling|scenario|claim)[ \t]+(\w+(?:[ \t]+\w+)+?)[ \t]*(?=[\"\n]|$)", spot.code)
    if head is None or spot.start != "item" or not head.start(1) < spot.offset <= head.end(1):
        return None
    return Slip(f"A name is one word: join the words with hyphens, `{'-'.join(head[1].split())}`.")


def _citation(spot: Spot) -> Slip | None:
    """A citation of a rule in a ruling, or the other way round."""
    if spot.previous != "cites":
        return None
    rest = spot.text[spot.offset :]
    outside = re.match(rf'({_NAME})[ \t]+((?:\d+\.\d+[ \t]+)?)"([^"\n]*)"', rest)
    if outside and spot.item in ("ruling", "scenario", "claim"):
        return Slip(f'A ruling cites a text, which stands in quotes as a whole: `cites "{outside[1]} {outside[3]}"`.')
    inside = re.match(rf'"({_NAME}) +([^"\n]+)"', rest)
    if inside and spot.item not in ("ruling", "scenario", "claim"):
        return Slip(f'The source stands before the quotes: `cites {inside[1]} "{inside[2]}"`.')
    return None


def _unknown_steps(spot: Spot) -> Slip | None:
    """Unknown steps in a board."""
    if spot.start != "given" or spot.previous not in ("step", "steps") or spot.found != "?":
        return None
    at = len(spot.before.rstrip()) - len(spot.previous)
    message = f"`{spot.previous} ?` can't stand here: unknown steps aren't searched yet"
    return Slip("Write the steps, or ask once for each way they may be.", message, (at, spot.offset + 1 - at))


# ---------------------------------------------------------------- formulas and calls


def _stop(spot: Spot) -> Slip | None:
    """A full stop behind what is bound, with no space behind it."""
    if spot.found != "." or "STOP" not in spot.accepts:
        return None
    bound = re.search(rf"{_NAME}\s*(?::|\bin\b)[^.\n]*$", spot.before[-NEAR:])
    if bound is None:
        return None
    behind = re.match(r"\.(\w*)", spot.after)
    return Slip(f"Put a space behind it: `{bound[0]}. {behind[1] if behind else ''}…`.")


def _behind(spot: Spot) -> Slip | None:
    """A word behind a whole formula or step, which might otherwise be taken for a call without its parentheses."""
    line = spot.before.rstrip()
    line = line[line.rfind("\n") + 1 :].removesuffix(spot.previous)
    if spot.accepts != {"LPAR"} or not spot.previous or not re.search(r"(?:\)|\.\w+)\s+$", line):
        return None
    if spot.start != "item" or spot.part != "script":
        return None
    at = len(spot.before.rstrip()) - len(spot.previous)
    help = "Join formulas with `and` or `or`; each line of a script begins on a line of its own."
    if spot.previous in ("since", "until"):
        help = f"Dates stand above the `cards`: `{spot.previous} 2024-01-31`."
    return Slip(help, f"`{spot.previous}` can't stand here", (at, len(spot.previous)))


def _expect(spot: Spot) -> Slip | None:
    """A question where a step is needed."""
    if spot.part != "script":
        return None
    sentence = spot.sentence
    # A step is no question, nor is what may be one without its parentheses.
    if re.fullmatch(r"\w+|\w+\s*\([^()]*\)", sentence) or not spot.parses(sentence):
        return None
    if spot.start == "given":
        return Slip(f'This is a question: it stands behind the board, in quotes of its own, `"{sentence}"`.')
    return Slip(f"Write `expect {sentence}`.")


def _when(spot: Spot) -> Slip | None:
    """Another word for `when`."""
    if spot.found in _CONDITIONS and "WHEN" in spot.accepts:
        return Slip("Did you mean `when`?")
    if spot.previous in _CONDITIONS and spot.accepts == {"LPAR"} and spot.item in ("rule", "ability", "effect"):
        at = len(spot.before.rstrip()) - len(spot.previous)
        message = f"`{spot.previous}` can't stand here"
        return Slip("Did you mean `when`?", message, (at, len(spot.previous)))
    return None


def _known_call(spot: Spot) -> Slip | None:
    """A call without parentheses of what the model knows to be an event."""
    return _call(spot) if spot.previous in spot.lexicon.calls else None


def _call(spot: Spot) -> Slip | None:
    """A call without parentheses."""
    name = spot.previous
    if spot.accepts != {"LPAR"} or not name:
        return None
    arguments: list[str] = []
    if spot.same_line:
        row = re.match(r"\w+(?:(?:[ \t]*,[ \t]*|[ \t]+)\w+)*", spot.after.split(";")[0])
        for word in re.findall(r"\w+", row[0]) if row else []:
            if word in BETWEEN:
                break
            arguments.append(word)
        if spot.found and spot.found not in (*arguments, ";"):
            return None
    if not arguments and spot.lexicon.calls.get(name):
        arguments = list(spot.lexicon.calls[name])
    if not arguments and not spot.part:
        arguments = ["…"]
    help = f"Write `{name}({', '.join(arguments)})`."
    if spot.found and not spot.same_line:
        at = len(spot.before.rstrip()) - len(name)
        return Slip(help, f"`{name}` lacks its parentheses", (at, len(name)))
    return Slip(help)


# ---------------------------------------------------------------- cards of a scenario


def with_parentheses(text: str) -> str:
    """A question in words whose call lacks its parentheses, with them; empty if it can't be one."""
    found = re.fullmatch(rf"((?:\w+ )*?(?:{_ASKING}) )?({_NAME})((?:(?: ?, ?| )\w+)+)", text)
    return f"{found[1] or ''}{found[2]}({', '.join(re.findall(_WORDS, found[3]))})" if found else ""


def _card(spot: Spot) -> Slip | None:
    """The words of a card in another order, or without a comma."""
    found, previous = spot.found, spot.previous
    if spot.part != "cards" or not re.fullmatch(r"\w+|in\s+play|\{", found):
        return None
    order = f"The order is `{ORDER}`."
    if previous in OF_A_CARD and re.search(rf":\s*{previous}\s*$", spot.before[-NEAR:]) and "IN_PLAY" in spot.accepts:
        return Slip(f"A type comes first. {order}")
    if re.match(rf"{_NAME}[ \t]*\(", spot.after) and "IN_PLAY" in spot.accepts:
        begin = "behind a semicolon: `; " if spot.start == "given" else "under `script`: `"
        return Slip(f"A step stands {begin}{found}(…)`.")
    if found in spot.lexicon.flags and "IN_PLAY" in spot.accepts:
        return Slip(f"`{found}` stands behind `in play`. {order}")
    if found.split()[0] in OF_A_CARD or found == "{":
        return Slip(order)
    if "IN_PLAY" not in spot.accepts or spot.near or not found.isidentifier() or not previous:
        return None
    if not spot.same_line:
        return Slip(f"A card begins with its name and a colon: `{found} : …`.")
    return Slip(f"If both are meant, put a comma between them: `{previous}, {found}`. {order}")

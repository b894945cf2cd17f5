"""Malformed variants of the shipped model and its rulings, and what every command has to do with each of them.

A variant is told by its number alone, so that a failure can be repeated: `python tests/mutate.py 17` runs that one,
`python tests/mutate.py 0 5000` runs the first five thousand, and `python tests/mutate.py 0 5000 questions`
so many questions.
"""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from random import Random
from types import FrameType
from unittest import mock

from verify_rules.analysis import check
from verify_rules.cli.main import run
from verify_rules.diagnostics import Diagnostic, Reporter
from verify_rules.model import load
from verify_rules.model.load import shipped_model
from verify_rules.model.model import Model
from verify_rules.parse import parser
from verify_rules.parse import tree as t
from verify_rules.parse.markdown import Chunk
from verify_rules.parse.slips import Lexicon
from verify_rules.source import SourceFile

SECONDS = 20
QUESTION = "can attack(x, player)"
GIVEN = "x : creature; enter(x)"
TOKEN = re.compile(r'"[^"\n]*"|\w+|:=|[^\w\s]')

# ---------------------------------------------------------------- what is done to a text


@dataclass(frozen=True)
class Block:
    """The content of a `rules` block: where it begins and ends in the text."""

    first: int
    last: int


def blocks(text: str) -> list[Block]:
    """The `rules` blocks of a file."""
    return [Block(m.start(1), m.end(1)) for m in re.finditer(r"^```rules\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


def tokens(text: str) -> list[tuple[int, int]]:
    """The places of all tokens inside the blocks, comments not told apart."""
    return [(m.start(), m.end()) for b in blocks(text) for m in TOKEN.finditer(text, b.first, b.last)]


def _one(random: Random, text: str) -> tuple[int, int]:
    return random.choice(tokens(text))


def token_deleted(random: Random, text: str) -> str:
    first, last = _one(random, text)
    return text[:first] + text[last:]


def token_doubled(random: Random, text: str) -> str:
    first, last = _one(random, text)
    return f"{text[:last]} {text[first:last]}{text[last:]}"


def tokens_swapped(random: Random, text: str) -> str:
    places = tokens(text)
    number = random.randrange(len(places) - 1)
    (a, b), (c, d) = places[number], places[number + 1]
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def token_replaced(random: Random, text: str) -> str:
    first, last = _one(random, text)
    other, end = _one(random, text)
    return text[:first] + text[other:end] + text[last:]


def token_inserted(random: Random, text: str) -> str:
    _, last = _one(random, text)
    other, end = _one(random, text)
    return f"{text[:last]} {text[other:end]} {text[last:]}"


def many_tokens_replaced(random: Random, text: str) -> str:
    for _ in range(random.randrange(2, 40)):
        text = random.choice([token_deleted, token_doubled, tokens_swapped, token_replaced])(random, text)
    return text


def letter_changed(random: Random, text: str) -> str:
    first, last = _one(random, text)
    at = random.randrange(first, last)
    return text[:at] + random.choice("abcxyz_09(){}[].:,=<>\"'`~|?-+ \n") + text[at + 1 :]


def _lines(text: str) -> tuple[list[str], list[int]]:
    """The lines of a text, and the numbers of those inside blocks, their fences too."""
    lines = text.split("\n")
    inside: list[int] = []
    for block in blocks(text):
        first, last = text.count("\n", 0, block.first), text.count("\n", 0, block.last)
        inside += range(first - 1, last + 1)
    return lines, inside


def line_deleted(random: Random, text: str) -> str:
    lines, inside = _lines(text)
    del lines[random.choice(inside)]
    return "\n".join(lines)


def lines_swapped(random: Random, text: str) -> str:
    lines, inside = _lines(text)
    a, b = random.choice(inside), random.choice(inside)
    lines[a], lines[b] = lines[b], lines[a]
    return "\n".join(lines)


def line_outdented(random: Random, text: str) -> str:
    lines, inside = _lines(text)
    indented = [i for i in inside if lines[i].startswith(" ")] or [0]
    at = random.choice(indented)
    lines[at] = lines[at].lstrip()
    return "\n".join(lines)


def line_indented(random: Random, text: str) -> str:
    lines, inside = _lines(text)
    at = random.choice(inside)
    lines[at] = " " * random.randrange(1, 9) + lines[at]
    return "\n".join(lines)


def truncated(random: Random, text: str) -> str:
    return text[: random.randrange(len(text))]


def beginning_lost(random: Random, text: str) -> str:
    return text[random.randrange(len(text)) :]


def letters_dropped_in(random: Random, text: str) -> str:
    first, _ = _one(random, text)
    letters = [
        chr(x) for _ in range(random.randrange(1, 30)) if not 0xD800 <= (x := random.randrange(0x11000)) < 0xE000
    ]
    return text[:first] + "".join(letters) + text[first:]


def odd_letter(random: Random, text: str) -> str:
    first, _ = _one(random, text)
    odd = "\0\x0b\x0c\x1c\x1e\x85\u00a0\u2028\u2029\u200b\u202e\ufeff\u0301\U0001f409（）：，。"
    return text[:first] + random.choice(odd) + text[first:]


def _in_a_block(text: str, item: str) -> str:
    return f"{text}\n```rules\n{item}\n```\n"


def deep_formula(random: Random, text: str) -> str:
    depth = random.choice([50, 500, 5_000, 20_000])
    formula = random.choice(
        [
            "(" * depth + "true" + ")" * depth,
            "(" * depth,
            "not " * depth + "true",
            "if true then " * depth + "true" + " else true" * depth,
            "{" * depth,
            "x" + ".x" * depth,
            "sick(" * depth,
            "true and (" * depth + "true" + ")" * depth,
            "some c: Card. " * depth + "true",
            "true implies " + "(true implies " * depth + "true" + ")" * depth,
        ]
    )
    head = random.choice(["claim deep always", "define deep(c) =", "invariant deep:", "ruling deep script expect"])
    return _in_a_block(text, f"{head} {formula}")


def deep_events(random: Random, text: str) -> str:
    depth = random.choice([10, 300, 1_000])
    inner = "".join(f"\n{' ' * (i + 2)}rule deep_{i}" for i in range(depth))
    return _in_a_block(text, f"event deep(c: Card){inner} sets c.tapped := true")


def deep_type(random: Random, text: str) -> str:
    return _in_a_block(text, f"var deep : {'per Player ' * random.choice([3, 20, 500, 5_000])}bool = false")


def long_chain(random: Random, text: str) -> str:
    size = random.choice([100, 5_000])
    word = random.choice(["and", "or", "+", "implies", "iff", "=", "in"])
    return _in_a_block(text, f"claim long always {f' {word} '.join(['turn_open'] * size)}")


def long_line(random: Random, text: str) -> str:
    size = random.choice([1_000, 100_000, 1_000_000])
    first, last = _one(random, text)
    return text[:first] + random.choice(["x", " ", '"', "-", "あ", "9", "`"]) * size + text[last:]


def clause_repeated(random: Random, text: str) -> str:
    clause = random.choice(
        [
            "  sick(c) when c.tapped\n",
            "  forbid attack(a, _) when sick(a)\n",
            "  not sick(c)\n",
            "  lifts sickness for\n",
        ]
    )
    return _in_a_block(text, "rule again\n" + clause * random.choice([300, 10_000]))


def items_repeated(random: Random, text: str) -> str:
    item = random.choice(["define again(c) = c.tapped\n", "enum Again { a, b }\n", "ruling again\n", "event again()\n"])
    return _in_a_block(text, item * 1_000)


def expectations_repeated(random: Random, text: str) -> str:
    line = random.choice(["    expect not sick(x)\n", "    tap(x)\n", '    unchecked "so"\n'])
    return _in_a_block(text, "ruling again\n  cards x : creature\n  script\n" + line * random.choice([100, 2_000]))


def many_cards(random: Random, text: str) -> str:
    size = random.choice([10, 40])
    cards = "".join(f"    x{i} : creature in play\n" for i in range(size))
    return _in_a_block(text, f"ruling crowd\n  cards\n{cards}  script\n    expect can attack(x0, player)")


def huge_number(random: Random, text: str) -> str:
    number = random.choice(["9" * 30, "9" * 5_000, "-1", "0" * 50 + "1", "1e9", "0x10", "1.5", str(1 << 64)])
    places = [(a, b) for a, b in tokens(text) if text[a:b].isdigit()] or tokens(text)
    first, last = random.choice(places)
    return text[:first] + number + text[last:]


def huge_range(random: Random, text: str) -> str:
    item = random.choice(
        [
            f"ability huge(n: int 0..{'9' * random.choice([4, 9, 300, 5_000])}) not sick(self)",
            "ability none_at_all(n: int 9..0) not sick(self)",
            f"var huge : int 0..{'9' * 400} = 7",
            "enum Huge { " + ", ".join(f"a{i}" for i in range(5_000)) + " }",
            "enum Huge { a(CardType, CardType, CardType, CardType, CardType, CardType) }",
            "enum Round { a(Round) }",
            "enum Round { a, b(Round, Round), c(Round) }",
        ]
    )
    return _in_a_block(text, item)


def carriage_returns(random: Random, text: str) -> str:
    return text.replace("\n", random.choice(["\r\n", "\r", "\n\r", "\n\n", "\x0b", "\u2028"]))


def tabs(random: Random, text: str) -> str:
    return text.replace(random.choice(["    ", "  ", " "]), "\t")


def fences_changed(random: Random, text: str) -> str:
    changes: list[Callable[[str], str]] = [
        lambda x: x.replace("```", "~~~"),
        lambda x: x.replace("```rules", "````rules", 1),
        lambda x: x.replace("```rules", "``` rules"),
        lambda x: x.replace("```rules", "```rules extra words"),
        lambda x: x.replace("```rules", "```Rules"),
        lambda x: x.replace("```rules", "```", random.randrange(1, 4)),
        lambda x: x.replace("\n```\n", "\n", 1),
        lambda x: "\n".join("> " + line for line in x.split("\n")),
        lambda x: "- item\n\n" + "\n".join("  " + line for line in x.split("\n")),
        lambda x: "1. item\n\n" + "\n".join("   " + line for line in x.split("\n")),
        lambda x: "\n".join("    " + line for line in x.split("\n")),
        lambda x: "\n".join(" " + line for line in x.split("\n")),
        lambda x: "\n".join("> - " + line for line in x.split("\n")),
        lambda x: "```rules\n```\n" * 50 + x,
        lambda x: "<!--\n" + x + "\n-->",
        lambda x: "<div>\n" + x + "\n</div>",
        lambda x: "```text\n" + x + "\n```",
        lambda x: x + "\n> ```rules\n> rule quoted\n  not so\n```",
        lambda x: x + "\n- ```rules\n  game\n```\n",
    ]
    return random.choice(changes)(text)


def string_unclosed(random: Random, text: str) -> str:
    places = [b - 1 for a, b in tokens(text) if text[a] == '"' and b - a > 1] or [len(text)]
    at = random.choice(places)
    return text[:at] + text[at + 1 :]


def prose_only(random: Random, text: str) -> str:
    return random.choice(
        ["", "\n", " \n\t\n", "# Nothing\n", "```rules\n```\n", "```rules\n-- only this\n```\n", "```rules"]
    )


def block_twice(random: Random, text: str) -> str:
    found = blocks(text)
    block = random.choice(found)
    return text + "\n```rules\n" + text[block.first : block.last] + "```\n"


def block_lost(random: Random, text: str) -> str:
    block = random.choice(blocks(text))
    return text[: block.first] + text[block.last :]


def blocks_from_elsewhere(random: Random, text: str) -> str:
    other = random.choice(TEXTS()).read_text(encoding="utf-8")
    return text + "\n" + random.choice([other, other.replace("Card", "Crad"), other.replace("(", "")])


def bytes_dropped_in(random: Random, text: str) -> bytes:
    data = text.encode()
    at = random.randrange(len(data))
    return data[:at] + random.randbytes(random.randrange(1, 50)) + data[at:]


def byte_changed(random: Random, text: str) -> bytes:
    data = bytearray(text.encode())
    for _ in range(random.randrange(1, 20)):
        data[random.randrange(len(data))] = random.randrange(256)
    return bytes(data)


def only_bytes(random: Random, text: str) -> bytes:
    return random.randbytes(random.choice([1, 100, 10_000]))


def other_encoding(random: Random, text: str) -> bytes:
    coding = random.choice(["utf-16", "shift_jis", "utf-8-sig", "utf-32", "euc_jp", "utf-7", "latin-1"])
    return text.encode(coding, errors="replace")


Operator = Callable[[Random, str], str | bytes]

OPERATORS: tuple[Operator, ...] = (
    token_deleted,
    token_doubled,
    tokens_swapped,
    token_replaced,
    token_inserted,
    many_tokens_replaced,
    letter_changed,
    line_deleted,
    lines_swapped,
    line_outdented,
    line_indented,
    truncated,
    beginning_lost,
    letters_dropped_in,
    odd_letter,
    deep_formula,
    deep_events,
    deep_type,
    long_chain,
    long_line,
    clause_repeated,
    items_repeated,
    expectations_repeated,
    many_cards,
    huge_number,
    huge_range,
    carriage_returns,
    tabs,
    fences_changed,
    string_unclosed,
    prose_only,
    block_twice,
    block_lost,
    blocks_from_elsewhere,
    bytes_dropped_in,
    byte_changed,
    only_bytes,
    other_encoding,
)


# ---------------------------------------------------------------- variants


def TEXTS() -> list[Path]:
    """The files of the shipped model."""
    return sorted(shipped_model().rglob("*.md"))


@dataclass(frozen=True)
class Variant:
    """A file of the shipped model, with something done to it."""

    number: int
    file: Path
    operator: str
    data: bytes

    @property
    def of_rulings(self) -> bool:
        """Whether it is a file of rulings, which is checked on top of the model."""
        return "rulings" in self.file.parts

    def __str__(self) -> str:
        return f"{self.number}: {self.operator} in {self.file.name}"


ENOUGH = 5_000


def beginning(text: str) -> str:
    """As many whole blocks of a long file as are enough to spoil."""
    end = text.find("\n```\n", ENOUGH)
    return text if end < 0 else text[: end + 5]


def variant(number: int) -> Variant:
    """The variant of this number: all operators in turn, on chapters and rulings in turn."""
    random = Random(number)
    turn, which = divmod(number, len(OPERATORS))
    operator = OPERATORS[which]
    files = [f for f in TEXTS() if ("rulings" in f.parts) == ((turn + which) % 2 == 1) and f.name != "README.md"]
    file = random.choice(files)
    text = file.read_text(encoding="utf-8")
    if "rulings" in file.parts:
        # The model has rulings of these names already.
        text = re.sub(r"^(ruling|scenario|claim) ", r"\1 own-", beginning(text), flags=re.MULTILINE)
    changed = operator(random, text)
    data = changed.encode("utf-8", errors="surrogatepass") if isinstance(changed, str) else changed
    return Variant(number, file.relative_to(shipped_model()), operator.__name__, data)


# ---------------------------------------------------------------- running them


class TookTooLong(Exception):
    """A command that didn't end."""


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Only for safety: a command that takes so much computing fails instead of stopping everything."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextlib.contextmanager
def quick_parsing() -> Iterator[None]:
    """Parse the same item of the same place, and build the same model, only once, and play less on boards.

    Most of a variant is as in the one before, and what was read is never changed afterwards.
    """
    models: dict[object, tuple[Model | None, tuple[Diagnostic, ...]]] = {}
    items: dict[tuple[Chunk, str], tuple[t.Item | None, tuple[Diagnostic, ...]]] = {}
    parse_chunk, build = parser.parse_chunk, load._cached

    def model(files: Sequence[SourceFile], as_of: date | None, reporter: Reporter, cache: bool) -> Model | None:
        key = (tuple(files), as_of)
        if key not in models:
            own = Reporter()
            models[key] = (build(files, as_of, own, cache), own.diagnostics)
        found, diagnostics = models[key] = models.pop(key)
        if len(models) > 8:
            del models[next(iter(models))]
        _report_again(diagnostics, reporter)
        return found

    def item(chunk: Chunk, path: str, reporter: Reporter, lexicon: Lexicon) -> t.Item | None:
        if (chunk, path) not in items:
            own = Reporter()
            if len(items) > 20_000:
                items.clear()
            items[chunk, path] = (parse_chunk(chunk, path, own, lexicon), own.diagnostics)
        found, diagnostics = items[chunk, path]
        _report_again(diagnostics, reporter)
        return found

    with (
        mock.patch.object(parser, "parse_chunk", item),
        mock.patch.object(load, "_cached", model),
        mock.patch.object(check, "EVENTS_TRIED", 1_000),
    ):
        yield


def _report_again(diagnostics: tuple[Diagnostic, ...], reporter: Reporter) -> None:
    for d in diagnostics:
        reporter.report(d.code, d.message, d.span, d.help, d.related)


def call(*arguments: str) -> tuple[int, str, str, float]:
    """Run a command in this process: exit code, what it printed, what it reported, seconds."""
    out, err = io.StringIO(), io.StringIO()
    begin = time.process_time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), time_limit(SECONDS):
        code = run(list(arguments))
    return code, out.getvalue(), err.getvalue(), time.process_time() - begin


class Workshop:
    """A copy of the shipped model (its chapters, and one file of rulings) in which one file at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self.model = folder / "model"
        self.rulings = folder / "rulings"
        self.codes: dict[str, list[int]] = {}
        self.rulings.mkdir()
        shutil.copytree(shipped_model(), self.model)
        for file in (self.model / "rulings").glob("*.md"):
            if file.name != "seed.md":
                file.unlink()
            else:
                file.write_text(beginning(file.read_text(encoding="utf-8")), encoding="utf-8")

    def commands(self, variant: Variant) -> Iterator[tuple[str, ...]]:
        """The commands that have to cope with it."""
        if variant.of_rulings:
            path = self.rulings / variant.file.name
            path.write_bytes(variant.data)
            yield ("check", str(path))
            yield ("audit", "--no-progress", str(path))
            yield ("ask", str(path), QUESTION)
        else:
            path = self.model / variant.file
            before = path.read_bytes()
            path.write_bytes(variant.data)
            try:
                home = ("--model", str(self.model), "--no-cache")
                yield ("check", *home)
                yield ("audit", "--no-progress", *home)
                yield ("ask", *home, "--given", GIVEN, QUESTION)
            finally:
                path.write_bytes(before)

    def faults(self, variant: Variant) -> list[str]:
        """What commands did that they mustn't; an empty list is a pass."""
        found = []
        for command in self.commands(variant):
            code, _, err, seconds = call(*command)
            self.codes.setdefault(command[0], []).append(code)
            what = f"{variant}: {command[0]} gave {code} after {seconds:.1f} s"
            if "Traceback" in err or code not in allowed(command[0], variant):
                found.append(f"{what}\n{err[-3000:]}")
            elif code == 3 and "error[" not in err:
                found.append(f"{what}, but named no error")
            elif command[0] == "check" and code == 0 and "error[" in err:
                found.append(f"{what}, but named an error")
        return found


def allowed(command: str, variant: Variant) -> tuple[int, ...]:
    """The exit codes that a variant may have: 3, or what a command says of rules that can be read."""
    if command == "check":
        return (0, 3)
    # A valid file may have a finding, a claim that isn't searched, or nothing to check or to ask about.
    return (0, 1, 3, 4, 5) if command == "audit" else (0, 2, 3, 4)


# ---------------------------------------------------------------- questions

GIVENS = (
    "x : creature; enter(x)",
    "x : psychic, y : creature of opponent in play tapped; enter(x); awaken(x)",
    "x : creature with speed_attacker in play { power = 3000 }; begin_turn(me); attack(x, player); end_attack()",
    "b : creature in play, c : evolution; evolve(c, onto: {b}); mistaken attack(c, player)",
)
QUESTIONS = (
    "can attack(x, player)",
    "not sick(x) and x.power ≥ 3000 implies some c: Card. c.zone = battle_zone",
    'forbidden attack(x, _) by CR "301.5"',
    "must attack(x, _) or count(c: Card. c.tapped) = 0",
    "possible enter(x)",
    "mistake repaired by x = y",
)
ODD = (
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    ":",
    ".",
    "=",
    "≠",
    "<",
    "?",
    "_",
    "-",
    "+",
    '"',
    "--",
    "\n",
    "\0",
    "あ",
    "99999999999",
)


def question(number: int) -> tuple[str, str]:
    """A `--given` and a question, one of them or both made of random tokens."""
    random = Random(f"question {number}")
    given, asked = random.choice(GIVENS), random.choice(QUESTIONS)
    words = [*ODD, *(w for text in (*GIVENS, *QUESTIONS) for w in TOKEN.findall(text))]
    which = number % 3
    if which in (0, 2):
        given = _shuffled(random, given, words)
    if which in (1, 2):
        asked = _shuffled(random, asked, words)
    return given, asked


def _shuffled(random: Random, text: str, words: list[str]) -> str:
    found = TOKEN.findall(text) if random.random() < 0.8 else random.choices(words, k=random.randrange(15))
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(found) + 1)
        found[at : at + random.randrange(2)] = random.choices(words, k=random.randrange(3))
    return " ".join(found) if random.random() < 0.5 else "".join(found)


def question_faults(number: int) -> list[str]:
    """What `ask` did that it mustn't."""
    given, asked = question(number)
    code, _, err, _ = call("ask", "--given", given, "--", asked)
    if code in (0, 2, 4) and "Traceback" not in err and (code == 0 or err.strip()):
        return []
    return [f"question {number}: --given {given!r} {asked!r} gave {code}\n{err[-3000:]}"]


def main() -> None:
    """Run the variants of these numbers and print what fails."""
    first, count = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    failed = 0
    if "questions" in sys.argv:
        for number in range(first, first + count):
            for fault in question_faults(number):
                failed += 1
                print(fault, flush=True)
        print(f"{count} questions, {failed} failures")
        return
    with tempfile.TemporaryDirectory() as folder, quick_parsing():
        workshop = Workshop(Path(folder))
        for number in range(first, first + count):
            begin = time.process_time()
            for fault in workshop.faults(variant(number)):
                failed += 1
                print(fault, flush=True)
            seconds = time.process_time() - begin
            if seconds > 5:
                print(f"slow: {variant(number)}: {seconds:.1f} s", flush=True)
    print(f"{count} variants, {failed} failures")


if __name__ == "__main__":
    main()

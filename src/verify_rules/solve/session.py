"""A session with the solver: terms asserted once, questions asked by assumptions, budgets that repeat."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from verify_rules.encode.terms import SortError, Term
from verify_rules.encode.walks import is_boolean, subterms

if TYPE_CHECKING:
    from verify_rules.solve.backend import Backend

Assignment = dict[str, bool | int]


@dataclass(frozen=True)
class Budget:
    """What one check may use: `work` in the solver's units, which repeat, and `seconds` as a second fence."""

    work: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Sat:
    """It can be true; `assignment` gives every variable of what was asserted or assumed a value."""

    assignment: Assignment


@dataclass(frozen=True)
class Unsat:
    """It can't be true; `core` are assumptions that together already can't, in the order in which they were given."""

    core: tuple[Term, ...]


@dataclass(frozen=True)
class Unknown:
    """No answer: the budget's work or time ran out, or the solver gave up."""

    reason: Literal["work", "time", "gave up"]
    words: str


Result = Sat | Unsat | Unknown


@dataclass
class _Scope:
    """What was asserted since a `push`, the numbers first met in it, and the variables that stand for assumptions."""

    terms: list[Term] = field(default_factory=list)
    numbers: list[Term] = field(default_factory=list)
    proxies: dict[Term, Any] = field(default_factory=dict)


class Solver:
    """Asserts terms and asks, again and again.

    The solver for finite domains is taken as long as all terms are Boolean; with the first number the session moves to
    the general one. An assumption may be any term of sort Bool.
    """

    def __init__(self, terms: Iterable[Term] = (), budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self._scopes: list[_Scope] = [_Scope()]
        self._variables: dict[str, Term] = {}
        self._seen: set[Term] = set()
        self._numbers = False
        self._backend: Backend | None = None
        self.add(*terms)

    def add(self, *terms: Term) -> None:
        """Assert terms."""
        self.declare(*terms)
        for term in terms:
            if term.sort != "Bool":
                raise SortError(f"no proposition: {term}")
            self._scopes[-1].terms.append(term)
            if self._backend is not None:
                self._backend.add(term)

    def declare(self, *terms: Term) -> None:
        """Make the variables of the terms known: an assignment has values for them too."""
        for part in subterms(terms, self._seen):
            self._seen.add(part)
            if part.op == "var":
                self._variables[part.name] = part
            if not self._numbers and not is_boolean(part):
                self._numbers = True
                self._backend = None
                for scope in self._scopes:
                    scope.proxies = {}
            if part.op == "var" and part.sort == "Int":
                self._bound(part)

    def _bound(self, variable: Term) -> None:
        self._scopes[-1].numbers.append(variable)
        if self._backend is not None:
            self._backend.bound(variable)

    def push(self) -> None:
        """Begin a scope; `pop` takes back what is added in it."""
        self._scopes.append(_Scope(proxies=dict(self._scopes[-1].proxies)))
        if self._backend is not None:
            self._backend.push()

    def pop(self) -> None:
        """End the scope; only the bounds of the numbers that were first met in it stay."""
        if len(self._scopes) == 1:
            raise IndexError("no scope to end")
        ended = self._scopes.pop()
        if self._backend is not None:
            self._backend.pop()
        for variable in ended.numbers:
            self._bound(variable)

    def _session(self) -> Backend:
        if self._backend is None:
            from verify_rules.solve.backend import Backend

            self._backend = Backend(self._numbers)
            for level, scope in enumerate(self._scopes):
                if level:
                    self._backend.push()
                for variable in scope.numbers:
                    self._backend.bound(variable)
                for term in scope.terms:
                    self._backend.add(term)
        return self._backend

    def check(self, *assumptions: Term, budget: Budget | None = None) -> Result:
        """Whether everything asserted can be true together with the assumptions."""
        for term in assumptions:
            if term.sort != "Bool":
                raise SortError(f"no proposition: {term}")
        self.declare(*assumptions)
        backend = self._session()
        literals = [self._literal(backend, term) for term in assumptions]
        limits = budget or self.budget
        milliseconds = None if limits.seconds is None else max(1, int(limits.seconds * 1000))
        match backend.check(literals, limits.work, milliseconds):
            case "sat":
                return Sat(backend.values(self._variables))
            case "unsat":
                return Unsat(tuple(assumptions[n] for n in backend.core(literals)))
            case "unknown":
                words = backend.reason()
                if "keyboard" in words:
                    raise KeyboardInterrupt
                return Unknown(_reason(words, limits), words)

    def _literal(self, backend: Backend, term: Term) -> Any:
        """The term itself if it is a literal, else a variable that implies it."""
        if term.op == "var" or (term.op == "not" and term.args[0].op == "var"):
            return backend.expression(term)
        proxies = self._scopes[-1].proxies
        if term not in proxies:
            proxy = backend.proxy("assumed")
            backend.add(term, only_if=proxy)
            proxies[term] = proxy
        return proxies[term]

    @property
    def work(self) -> int:
        """The work done by the checks of this session so far, in the solver's units."""
        return 0 if self._backend is None else self._backend.used()


def _reason(words: str, limits: Budget) -> Literal["work", "time", "gave up"]:
    if "timeout" in words:
        return "time"
    if "resource" in words or "rlimit" in words or ("cancel" in words and limits.work is not None):
        return "work"
    return "time" if "cancel" in words and limits.seconds is not None else "gave up"

"""Every test run has a cache of its own: one that an older checkout filled must not answer for this one."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One for all processes of the run, as a user's commands share theirs."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # of all workers
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VERIFY_RULES_CACHE", str(folder / "cache"))
        yield


@pytest.fixture(scope="session", autouse=True)
def seldom_collected() -> None:
    """As in the program itself: little of what is made is garbage, and looking for it takes a sixth of the time."""
    gc.set_threshold(300_000)

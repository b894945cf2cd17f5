"""Where results that depend on nothing but their input are kept between runs.

`VERIFY_RULES_CACHE` names the folder; `off` (or an unwritable folder) switches caching off. A cache never changes an
answer: every key is a hash of all that its value depends on.
"""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "VERIFY_RULES_CACHE"


def cache_folder() -> Path | None:
    """The cache folder, made if need be; None when caching is off or impossible."""
    wanted = os.environ.get(VARIABLE)
    if wanted == "off":
        return None
    try:
        folder = Path(wanted) if wanted else _user_folder()
        str(folder).encode()  # not every name of a folder is text, but what is kept there needs one that is
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError):
        return None
    return folder if os.access(folder, os.W_OK) else None


def _user_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("verify-rules")

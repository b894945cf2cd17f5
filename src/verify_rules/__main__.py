"""Entry point: `verify-rules`, and `python -m verify_rules`. It imports the rest where an interruption is caught."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; interrupted, also while it is still being loaded, it ends with 130 and no traceback."""
    try:
        from verify_rules.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()

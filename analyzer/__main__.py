"""`python -m analyzer` is `tf-postmortem`, for where no script is installed."""

from __future__ import annotations

from analyzer.cli import main

if __name__ == "__main__":
    main()

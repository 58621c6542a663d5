#!/usr/bin/env python3
"""A distributed training step that is as small as can be, with one fault in it.

    python worker.py [--control] [--out DIR]

Reads plan.yaml beside it (one `key: JSON value` a line), starts the job's tasks on this machine (one import of
TensorFlow, then a fork for each), does the fault (not with --control), and leaves DIR/<task>/{worker.log,
tf_config.json, exit_code}: what the nodes of a cluster would hand in. Needs TensorFlow and nothing else.

    TF_CONFIG=… python worker.py --task worker:1 [--control]

is that task alone, in this process, as a node of a cluster would start it.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

from job.launch import Job, say
from job.place import die_with_parent
from job.plan import HERE, UNABLE, UnableError, read_plan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--control", action="store_true", help="the same job without the fault")
    parser.add_argument("--task", help="only this task, with the TF_CONFIG of the environment")
    parser.add_argument("--bound", action="store_true", help="die with the process that started this one")
    parser.add_argument("--out", type=pathlib.Path, default=None)
    options = parser.parse_args()
    if options.bound:
        die_with_parent()
    plan = read_plan(HERE / "plan.yaml")
    out = options.out or HERE / ("control" if options.control else "fault")
    if not options.task and out.exists():
        sys.exit(f"{out} is there already; remove it or name another folder with --out")
    try:
        if options.task:
            from job.training import run_task

            run_task(plan, options.task, options.control)
        elif not Job(plan, out.resolve(), options.control).run():
            sys.exit(UNABLE)
    except UnableError as unable:
        say(f"this machine lacks {unable}")
        sys.exit(UNABLE)


if __name__ == "__main__":
    main()

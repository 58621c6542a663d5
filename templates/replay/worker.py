#!/usr/bin/env python3
"""A distributed training step that is as small as can be, with one fault in it.

    python worker.py [--control] [--out DIR] [--other-python PATH]

Reads plan.yaml beside it (JSON, of the words of job/vocabulary.py), starts the job's tasks on this machine (one import
of TensorFlow, then a fork for each), does the fault (not with --control), and leaves DIR/<task>/{worker.log,
tf_config.json, exit_code}: what the nodes of a cluster would hand in. Needs TensorFlow and nothing else; version skew
needs a second Python with another TensorFlow, PATH, for the task at fault.

    TF_CONFIG=… python worker.py --task worker:1 [--control]

is that task alone, in this process, as a node of a cluster would start it.

    python worker.py --nodes HOSTFILE [--rsh 'ssh -o BatchMode=yes'] [--python PATH]

runs the tasks on the hosts of the file, one a line, by ssh. PATH is the Python there; this one's path if not given.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import signal
import sys

from job.hosts import HostsError, read_hosts, split_command
from job.launch import Job, say
from job.place import die_with_parent
from job.plan import HERE, LACKS, UNABLE, UnableError
from job.remote import Share, run_on_hosts
from job.vocabulary import PlanError, read_plan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--control", action="store_true", help="the same job without the fault")
    parser.add_argument("--task", help="only this task, with the TF_CONFIG of the environment")
    parser.add_argument("--nodes", type=pathlib.Path, help="run on the hosts in this file, one `host [slots=N]` a line")
    parser.add_argument("--rsh", default="ssh -o BatchMode=yes", help="the command that runs another command on a host")
    parser.add_argument("--python", default=sys.executable, help="the Python interpreter on the hosts")
    parser.add_argument("--other-python", help="for version skew: the Python interpreter of the faulty task")
    parser.add_argument("--share", type=json.loads, help=argparse.SUPPRESS)
    parser.add_argument("--bound", action="store_true", help="exit with the process that started this one")
    parser.add_argument("--out", type=pathlib.Path, default=None)
    options = parser.parse_args()
    if not options.task:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # unwinds, so that nothing stays
    if options.bound:
        die_with_parent(signal.SIGKILL if options.task else signal.SIGTERM)
    out = options.out or HERE / ("control" if options.control else "fault")
    if not options.task and out.exists():
        sys.exit(f"{out} already exists; remove it or choose another folder with --out")
    try:
        if not run(read_plan(HERE / "plan.yaml"), out.resolve(), options):
            sys.exit(UNABLE)
    except PlanError as error:
        sys.exit(f"plan.yaml is not a valid plan: {error}")
    except HostsError as error:
        sys.exit(str(error))
    except UnableError as unable:
        say(f"{LACKS} {unable}")
        sys.exit(UNABLE)


def run(plan: dict, out: pathlib.Path, options: argparse.Namespace) -> bool:
    """Whether what the fault asks for could be done."""
    if options.task:
        from job.training import run_task

        run_task(plan, options.task, options.control)
        return True
    if options.share:
        return Share(plan, out, options.control, options.share, options.other_python).run()
    if options.nodes:
        there = [options.python, *(["--control"] if options.control else [])]
        there += [f"--other-python={options.other_python}"] if options.other_python else []
        return run_on_hosts(plan, out, read_hosts(options.nodes), split_command(options.rsh), there)
    return Job(plan, out, options.control, options.other_python).run()


if __name__ == "__main__":
    main()

"""`tf-postmortem core`: one core dump by itself."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from analyzer.errors import InputError, UsageError


def add_to(app: typer.Typer) -> None:
    app.command(name="core")(core)


def core(
    file: Annotated[Path, typer.Argument(help="An ELF core file, plain or compressed.", show_default=False)],
    executable: Annotated[Path | None, typer.Option(help="The program that crashed, where it cannot be found.")] = None,
    sysroot: Annotated[
        list[Path] | None, typer.Option(help="A folder with the node's binaries; may be given again.")
    ] = None,
    threads: Annotated[str, typer.Option(help="all, crashing or unique.")] = "all",
    needs: Annotated[
        bool, typer.Option("--needs", help="List the binaries that are missing for a full stack.")
    ] = False,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output.")
    ] = None,
) -> None:
    """Say what crashed, where, and in which Python line."""
    from analyzer.cores import list_needs
    from analyzer.cores.text import describe_core
    from analyzer.pipeline import read_one_core

    if threads not in ("all", "crashing", "unique"):
        raise UsageError(f"--threads {threads}: it is all, crashing or unique")
    with tempfile.TemporaryDirectory(prefix="tf-postmortem-") as scratch:
        found = read_one_core(file, Path(scratch), executable, tuple(sysroot or ()), threads)
    if found is None:
        raise InputError(
            f"{file} is no core file", "a core file is an ELF file of type CORE; `file` tells what this one is"
        )
    if needs:
        sys.stdout.write("".join(f"{line}\n" for line in list_needs(found)))
        return
    if json_file is None:
        sys.stdout.write("\n".join(describe_core(found)) + "\n")
        return
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    if json_file == "-":
        sys.stdout.write(text)
    else:
        from analyzer.report.write import write_report

        write_report(Path(json_file), text)

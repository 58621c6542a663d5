"""`tf-postmortem core`: one core dump by itself."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analyzer.cli._redaction import check_output, choose_names
from analyzer.cli._redaction import redact_names as hide
from analyzer.cli.show import Redact
from analyzer.core_dump import CoreDetail, core_from_json, core_to_json
from analyzer.errors import InputError, UsageError
from analyzer.redact.secrets import mask_secrets

if TYPE_CHECKING:
    from analyzer.core_store import CoreStore
    from analyzer.redact.rename import Renaming

THREADS = ("all", "crashing", "unique")


def add_to(app: typer.Typer) -> None:
    app.command(name="core")(core)


def core(
    file: Annotated[
        Path,
        typer.Argument(
            help="An ELF core or a minidump: plain, compressed, in a crash report, or in an archive with its binaries.",
            show_default=False,
        ),
    ],
    executable: Annotated[
        Path | None, typer.Option(help="The program that crashed, if it cannot be found by its path.")
    ] = None,
    sysroot: Annotated[list[Path] | None, typer.Option(help="A folder with the node's binaries; repeatable.")] = None,
    threads: Annotated[str, typer.Option(help="Which threads to show: all, crashing or unique.")] = "all",
    all_lines: Annotated[
        bool,
        typer.Option("--all-lines", help="Find source lines and inlined calls for all threads, which takes longer."),
    ] = False,
    show_locals: Annotated[
        bool,
        typer.Option(
            "--locals", help="Show arguments and variables of the crashing thread's frames; secrets are masked."
        ),
    ] = False,
    source: Annotated[
        bool,
        typer.Option(
            "--source", help="Show source lines of the crashing thread, from files beside the core or below --sysroot."
        ),
    ] = False,
    raw_registers: Annotated[
        bool, typer.Option("--raw-registers", help="Show the registers of the crashing thread.")
    ] = False,
    needs: Annotated[
        bool, typer.Option("--needs", help="List the binaries that are missing for a full stack.")
    ] = False,
    slim: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.tar.gz",
            help="Write an archive with a small core and slimmed modules; it gives the same stacks elsewhere.",
        ),
    ] = None,
    mask: Annotated[
        bool, typer.Option("--mask", help="With --slim: overwrite secrets in the arguments and the environment.")
    ] = False,
    check_python: Annotated[
        bool,
        typer.Option("--check-python", help="Compare the Python frames with those of pystack, if it is installed."),
    ] = False,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output.")
    ] = None,
    redact: Redact = False,
) -> None:
    """Show what crashed, where, and in which line of Python code."""
    from analyzer.core_store import store_first_core
    from analyzer.scratch import scratch_folder

    if threads not in THREADS:
        raise UsageError(f"--threads {threads} is not a valid choice", "choose all, crashing or unique")
    if mask and slim is None:
        raise UsageError("--mask works only with --slim", "it masks secrets in the archive that --slim writes")
    if redact and (slim is not None or check_python):
        raise UsageError(
            "--redact hides names in printed output only", "use --mask to overwrite the secrets of a slim core"
        )
    if (show_locals or source) and (slim is not None or check_python):
        raise UsageError("--locals and --source cannot be used with --slim or --check-python", "run the command twice")
    with scratch_folder() as scratch:
        store = store_first_core(file, scratch, tuple(sysroot or ()))
        if not store.waiting:
            raise InputError(f"{file} is not a core file", _describe_other_file(file))
        if slim is not None:
            _write_slim(store, slim, executable, mask)
            return
        if check_python:
            _check_python(store, executable)
            return
        detail = CoreDetail(threads=threads, all_lines=all_lines, locals=show_locals, source=source)
        _, core_dump = next(store.read_cores(executable, detail))
    core_dump.file = str(file)
    row = mask_secrets(core_to_json(core_dump))
    renaming = choose_names({"cores": [row]}) if redact else None
    _write_core(hide(row, renaming), needs, raw_registers, json_file, renaming)


def _describe_other_file(file: Path) -> str:
    """Return the hint for a file without a core: what it is instead, where its first bytes tell."""
    from analyzer.bundle.unsupported import HEAD_BYTES, describe_unsupported

    head = b""
    if file.is_file():
        with file.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
    kind = describe_unsupported(head, str(file), is_text=False)
    if kind is not None:
        return f"it is {kind}"
    return "a core file is an ELF file of type CORE; the command `file` shows the type of this one"


def _write_core(
    row: dict[str, Any], needs: bool, raw_registers: bool, json_file: str | None, renaming: Renaming | None
) -> None:
    from analyzer.cores import list_missing_binaries
    from analyzer.cores.text import describe_core, list_registers

    if needs:
        text = "".join(f"{line}\n" for line in list_missing_binaries(core_from_json(row)))
    elif json_file is None:
        core_dump = core_from_json(row)
        text = "\n".join([*describe_core(core_dump), *(list_registers(core_dump) if raw_registers else ())]) + "\n"
    else:
        from analyzer.report.formatting import write_json  # with msgspec

        text = "".join((*write_json(row), "\n"))
    check_output(text, renaming)
    if json_file in (None, "-") or needs:
        sys.stdout.write(text)
    else:
        from analyzer.report.output_file import write_output_file

        write_output_file(Path(str(json_file)), text)


def _check_python(store: CoreStore, executable: Path | None) -> None:
    from analyzer.cores.python.crosscheck import compare_with_pystack

    stored, core_dump = next(store.read_cores(executable, keep=True))
    sys.stdout.write("".join(f"{line}\n" for line in compare_with_pystack(core_dump, stored.path)))


def _write_slim(store: CoreStore, target: Path, executable: Path | None, mask: bool) -> None:
    from analyzer.cores.slim.archive import write_slim_archive
    from analyzer.report.formatting import plural

    slim_core = store.slim_first_core(executable, mask)
    if isinstance(slim_core, str):
        raise InputError(f"cannot write a slim core: {slim_core}", "send the whole core instead")
    size = write_slim_archive(target, slim_core.files)
    sys.stderr.write(f"{target}: {size:,} bytes, a core and {plural(len(slim_core.files) - 1, 'module')}\n")
    if mask:
        overwritten = plural(slim_core.masked_secrets, "secret was", "secrets were")
        sys.stderr.write(f"{overwritten} overwritten; check the rest before you send it\n")

"""Output tags of mpirun and horovodrun: the rank of a line, in some versions with the time at which it arrived.

    [1,3]<stderr>:2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:153] oneDNN custom operations are on
    Sat Nov 21 05:10:07 2026[1]<stderr>:Traceback (most recent call last):
    Sat Nov 21 05:10:07 2026<stderr>:step 12 loss 0.31
    [prterun-node-3-1234@1,3]<stdout>: step 12
    [prterun-node-3-1234@1,3][node-4:1277]<stdout>: step 12
    [1,mpirank:3,algo-4]<stdout>:step 12

`[job,rank]` of Open MPI (--tag-output, PRRTE's `--output tag`; `tag-detailed` adds host and pid), `[rank]` of
Horovod's Gloo launcher, `[job,mpirank:rank,host]` of SageMaker; the launcher's local time with --timestamp-output and
--prefix-output-with-timestamp. The rank is the stream.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier, stream_of_rank
from analyzer.formats.stamps import CTIME, as_stamps, read_ctime
from analyzer.model import Line

_TAG = re.compile(
    rf"({CTIME})?\s?(?:\[(?:[^\s\],<>]{{0,128}},)?(?:mpirank:)?(\d{{1,7}})(?:,([A-Za-z][\w.-]{{0,120}}))?\])?"
    r"(?:\[([A-Za-z][\w.-]{0,120}):(\d{1,10})\])?<std(?:out|err|diag)>: ?(.*)",
    re.DOTALL,
).match


def parse(text: str) -> Line | None:
    if not (match := _TAG(text)):
        return None
    clock, rank, host, detailed_host, pid, message = match.groups()
    return Line(
        message,
        as_stamps(read_ctime(clock)) if clock else (),
        stream=stream_of_rank(rank) if rank else "",
        pid=int(pid) if pid else None,
        host=host or detailed_host,
    )


FORMAT = Format(
    "mpi_tag",
    None,
    parse,
    tier=Tier.FRAMEWORK,
    wrapper=True,
    prefixes_every_line=True,
    date_marks="[",
    first_chars="[<MTWFS",
    excludes_inner_rank=True,
)

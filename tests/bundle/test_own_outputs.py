"""What this program wrote is no log, and what only looks like it is one."""

from __future__ import annotations

import pytest

from analyzer.bundle.own_outputs import describe_own_output

TIMELINE_LINE = b"04:21:21.227     error    worker-0  a/worker log:7  2026-11-22 04:21:21,245 [ERROR] failed\n"
OTEL = b'{"resourceLogs":[{"resource":{"attributes":[]},"scopeLogs":[{"scope":{"name":"%s"},"logRecords":[]}]}]}\n'


@pytest.mark.parametrize(
    "head",
    [
        TIMELINE_LINE * 2,
        TIMELINE_LINE,
        TIMELINE_LINE.rstrip(),
        TIMELINE_LINE + b"1 line known to be harmless is left out; --noise shows it\n",
        b"---------------  warning  -  env.txt:<NA>  TF_CONFIG\n",
        OTEL % b"tf-postmortem",
        b'{"corrected":null,"time":null,"node":"a\\"b","task":null,"severity":"info","signal":"x","file":"y"}\n',
        b"corrected,time,node,task,severity,signal,file,line,text,inferred\n",
    ],
)
def test_own_words_are_recognized(head: bytes) -> None:
    assert describe_own_output(head, "x")


@pytest.mark.parametrize(
    "head",
    [
        b"04:21:21.227  error  worker-0  train.py:7  failed\n",  # no fixed columns
        b"04:21:21.227    error    worker-0  train.py:7  failed\n",
        TIMELINE_LINE + b"Traceback (most recent call last):\n",
        OTEL % b"training",
        b'{"time":"2026-11-22T04:21:13Z","node":"a","severity":"info","text":"step 1"}\n',
        b"time,node,severity,text\n",
        b'{"traceEvents": [{"ph": "M", "pid": 1, "name": "process_name"}]}\n',
        b"No cause found\nfor the crash of worker:1\n",
    ],
)
def test_a_log_of_others_is_read(head: bytes) -> None:
    assert describe_own_output(head, "x") is None

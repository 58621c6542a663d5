"""Logs between fences are of the machine that the words before them name, in documents and in chats."""

from __future__ import annotations

import json
from html import escape

import pytest

from analyzer.formats import read_line
from analyzer.formats.unwrap import choose_unwrapper, unwrap_head

LOG = "2026-11-24 10:33:12,345 INFO step 1 loss 0.5\n2026-11-24 10:33:13,345 INFO step 2 loss 0.5"
FIRST = ("### gx-7\n", "From gx-7, while it stood:\n\n", "gx-7:\n", "the log of `gx-7`\n")


def hosts_of(text: str) -> list[str | None]:
    _, plain = unwrap_head(text.encode())
    lines = (read_line(line.decode()) for line in plain.split(b"\n"))
    return [line.host for line in lines if "loss" in line.message]


@pytest.mark.parametrize("before", FIRST)
def test_a_quotation_is_of_the_machine_that_stands_before_it(before: str) -> None:
    text = f"# What happened\n\n{before}```text\n{LOG}\n```\nand on gx-8:\n```\n{LOG}\n```\n"
    assert hosts_of(text) == ["gx-7", "gx-7", "gx-8", "gx-8"]


def test_a_quotation_may_hold_sections_of_its_own() -> None:
    parallel = "".join(f"[{number}] 23:21:50 [SUCCESS] gx-{number}\n65536\n" for number in (7, 8, 9))
    text = f"gx-7\n```\n{LOG}\n```\ngx-8\n```\n{LOG}\n```\nand the limits:\n```\n{parallel}```\n"
    assert hosts_of(text) == ["gx-7", "gx-7", "gx-8", "gx-8"]


def test_a_quotation_behind_two_names_is_of_neither() -> None:
    text = f"gx-7\n```\n{LOG}\n```\ngx-8\n```\n{LOG}\n```\ngx-7 waits for gx-8:\n```\n{LOG}\n```\n"
    assert hosts_of(text)[4:] == [None, None]


def test_messages_of_a_chat_are_of_the_machine_that_was_named_before() -> None:
    texts = ["it hangs, w0:", f"```\n{LOG}\n```", "and here is w1, too:", f"```{LOG}```"]
    messages = [
        {"type": "message", "user": "U1", "ts": f"17930020{n}.3", "text": text} for n, text in enumerate(texts, 50)
    ]
    _, plain = unwrap_head(json.dumps(messages, indent=1).encode())
    lines = [read_line(line.decode()) for line in plain.split(b"\n") if b"step 1" in line]
    assert [line.host for line in lines] == ["w0", "w1"]


@pytest.mark.parametrize("text", [f"step 3:\n```\n{LOG}\n```\nstep 4:\n```\n{LOG}\n```\n", f"gx-7\n```\n{LOG}\n```\n"])
def test_one_machine_and_numbers_of_other_things_name_nobody(text: str) -> None:
    assert set(hosts_of(text)) == {None}


SERVER = "I0000 00:00:1793002005.2   411 grpc_server_lib.cc:467] Started server with target: grpc://{host}:2222"


def test_a_quotation_is_of_the_machine_that_it_states() -> None:
    text = "".join(
        f"The output of one of them:\n\n```\n{SERVER.format(host=host)}\n{LOG}\n```\n" for host in ("tyr", "freya")
    )
    assert hosts_of(text) == ["tyr", "tyr", "freya", "freya"]


LONG = "gx-8 belongs to the other group and I cannot log in there, so that this is all that I have for now."


@pytest.mark.parametrize("between", [f"{LONG}\n", "gx-8 is not mine.\n\n### What I start\n", "gx-7 and gx-8 alike.\n"])
def test_a_machine_that_is_only_mentioned_wrote_nothing(between: str) -> None:
    text = f"gx-7:\n```\n{LOG}\n```\ngx-9:\n```\n{LOG}\n```\n{between}\n```\n{LOG}\n```\n"
    assert hosts_of(text)[4:] == [None, None]


TRACE = "2026-11-24 10:33:14,345 ERROR step failed\n  File &quot;/srv/a.py&quot;, line 3, in &lt;module&gt;"


def page(name: str) -> str:
    return f"<h3>{name}</h3>\n<p>what it wrote:</p><pre class='log'>{LOG}\n{TRACE}</pre>\n"


def test_a_saved_page_is_read_as_its_text() -> None:
    text = "<!DOCTYPE html>\n<html><body><p>It hangs&nbsp;again<br>since noon</p>\n"
    text += f"{page('gx-7')}{page('gx-8')}</body></html>\n"
    assert hosts_of(text) == ["gx-7", "gx-7", "gx-8", "gx-8"]
    _, plain = unwrap_head(text.encode())
    lines = plain.decode().split("\n")
    assert len(lines) == len(text.split("\n")) and "since noon" in lines[1]
    last = read_line(lines[6])
    assert last.host == "gx-7" and '"/srv/a.py", line 3, in <module>' in last.message


def test_a_ticket_in_xml_holds_the_page_of_each_comment() -> None:
    comments = "".join(f"<comment id='1'>{escape(page(name), quote=True)}</comment>\n" for name in ("gx-7", "gx-8"))
    assert hosts_of(f"<?xml version='1.0'?>\n<rss><item>\n{comments}</item></rss>\n") == [
        "gx-7",
        "gx-7",
        "gx-8",
        "gx-8",
    ]


@pytest.mark.parametrize(
    "text", ["<?xml version='1.0'?>\n<testsuite><testcase/></testsuite>\n", "<pre>\n", "a < b > c\n"]
)
def test_other_tags_are_left_alone(text: str) -> None:
    assert choose_unwrapper(text.encode()) is None

"""The first screen: facts that no theory changes, and what a reader does with them in a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from browsing import Visit, needs_browser, sync_api
from fixture_incidents import analyze_files, bundle_of, incident_of
from report_samples import HOSTILE, hostile, many, oom, typed

from analyzer.pipeline import analyze
from analyzer.report.brief import render_brief
from analyzer.report.commands import collect_step_values, fill_step
from analyzer.report.deciding_lines import choose_deciding_lines
from analyzer.report.endings import describe_row, list_endings
from analyzer.report.html import render_html
from analyzer.report.job_facts import describe_job
from analyzer.report.json import thin_out, write_incident
from analyzer.report.lane_folding import fold_lanes
from analyzer.report.lanes import build_lanes
from analyzer.report.markdown import render_markdown
from analyzer.report.results import list_results
from analyzer.report.summary import summarize
from analyzer.report.terminal import render_plain
from analyzer.report.written_evidence import WrittenEvidence

OOM_BUNDLE = Path(__file__).parents[2] / "fixtures/memory-cgroup-oom/bundle.tar.gz"


def read_embedded(page: str) -> dict[str, list[dict[str, dict[str, str]]]]:
    read: dict[str, list[dict[str, dict[str, str]]]] = json.loads(
        page.partition('id="incident-data">')[2].partition("</script>")[0]
    )
    return read


def test_the_culprit_is_on_top_and_the_ends_are_decoded() -> None:
    endings = list_endings(typed(oom()))
    assert [row.name for row in endings.rows][:1] == ["train-2"] and endings.rows[0].culprit
    assert [row.ended for row in endings.rows] == ["SIGKILL (status 137)", *["exit status 1"] * 3]
    assert endings.explains == "explains 4 of 4 hard facts"


def test_nodes_that_ended_alike_are_one_row() -> None:
    rows = list_endings(typed(many())).rows
    assert len(rows) <= 3 and rows[0].culprit and sum(len(row.names) for row in rows) == 1000


def test_all_accusers_are_counted_although_the_first_are_listed() -> None:
    made = oom()
    made["hard_facts"][2]["accusers"] = 99  # type: ignore[index]
    row = list_endings(typed(made)).rows[0]
    assert row.accuser_count == 99 and describe_row(row).endswith("accused by train-0, 98 more")
    assert ">99 nodes</a>" in render_html(typed(made)) and "`98 more`" in render_brief(typed(made))


def test_an_end_that_the_answer_does_not_explain_is_named() -> None:
    made = oom()
    made["hard_facts"][3]["explained_by"] = []  # type: ignore[index]
    assert list_endings(typed(made)).explains == "explains 3 of 4 hard facts; open: train-3: exit status 1"


def test_each_reason_that_one_line_shows_names_that_line() -> None:
    incident = analyze([OOM_BUNDLE])
    root = write_incident(incident).root_causes[0]
    lost, ended = root.why[:2]
    assert lost.endswith("as lost (nodes/ip-10-42-7-23.tar.gz/stderr.log:25)")
    assert ended.endswith("(nodes/ip-10-42-7-22.tar.gz/rc:1)")
    page = render_html(write_incident(incident))
    assert 'title="nodes/ip-10-42-7-22.tar.gz/rc:1">rc:1</a>' in page


def test_an_answer_that_is_not_almost_certain_says_which_files_would_help() -> None:
    made = oom()
    root = made["root_causes"][0]  # type: ignore[index]
    made["not_evaluated"] = [
        {"rule": f"r{number}", "lacks": [kind], "nodes": nodes}
        for number, (kind, nodes) in enumerate([("scheduler", ["train-3"]), ("kernel", []), ("kernel", ["train-2"])])
    ]
    assert summarize(typed(made)).candidates[0].would_decide == ""
    root["confidence"] = 0.6
    decides = summarize(typed(made)).candidates[0].would_decide
    assert decides.startswith("Kernel logs (dmesg, journalctl -k) of ") and "train-2" in decides
    for text in (render_html(typed(made)), render_brief(typed(made)), render_plain(typed(made))):
        assert decides in text
    next(node for node in made["nodes"] if node["name"] == root["node"])["present"] = False  # type: ignore[attr-defined]
    assert "the logs of train-2" in summarize(typed(made)).candidates[0].would_decide


def test_nodes_that_did_the_same_are_one_lane_and_the_culprit_stands_alone() -> None:
    incident = typed(many())
    lanes = build_lanes(incident)
    folded = fold_lanes(lanes, incident)
    assert [(lane.name, len(lane.members)) for lane in folded] == [
        ("gpu-0500", 0),
        ("334 nodes alike", 334),
        ("665 nodes alike", 665),
    ]
    assert fold_lanes(lanes[:12], incident) == lanes[:12]


def test_commands_get_the_values_that_were_captured_and_no_others() -> None:
    captures = {"address": "10.0.0.7:2222", "pid": "4242"}
    assert fill_step("try `nc -vz HOST PORT`, not HOST", captures, "n1") == "try `nc -vz 10.0.0.7 2222`, not HOST"
    assert fill_step("`py-spy dump --pid PID`", {"pid": "1; rm -rf /"}, "n1") == "`py-spy dump --pid PID`"
    assert fill_step("`ssh NODE`", {}, "$(reboot)") == "`ssh NODE`"


def test_the_one_address_that_failed_fills_the_steps_of_every_form() -> None:
    incident = write_incident(analyze([OOM_BUNDLE.parents[1] / "ps-killed/bundle.tar.gz"]))
    for text in (render_html(incident), render_plain(incident), render_markdown(incident)):
        shown = text.partition('id="incident-data"')[0]  # the data keep the steps as the rule has them
        assert "nc -vz 10.77.0.14 2222" in shown and "HOST PORT" not in shown
    assert "nc -vz 10.77.0.14 2222" in list_results(incident)[0].message


def test_a_step_names_the_address_of_the_leader() -> None:
    incident = write_incident(incident_of(bundle_of("packets-dropped")))
    [root, *_] = incident.root_causes
    cluster = next(text for event in incident.timeline.events if "cluster" in (text := event.text))
    address = re.search(r"(?:chief|worker)\W+\[\W*([\w.-]+):(\d+)", cluster)
    assert root.rule == "rpc-not-answered" and address
    card = render_html(incident).partition('id="evidence"')[0]
    assert f"nc -vz {address[1]} {address[2]}<" in card and f"getent hosts {address[1]}<" in card


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("last error: UNKNOWN: ipv4:10.1.0.2:2222: Failed to connect", ("10.1.0.2", "2222", "10.1.0.2:2222")),
        ("ipv6:%5Bfd00::1%5D:2222: connect() timed out", ("fd00::1", "2222", "fd00::1:2222")),
        ("dial tcp gpu-7.train:2222: i/o timeout", ("gpu-7.train", "2222", "gpu-7.train:2222")),
        ("Started server with target: grpc://10.1.0.2:2222", None),
        ("ipv4:10.1.0.2:2222: refused; ipv4:10.1.0.3:2222: refused", None),
    ],
)
def test_an_address_that_failed_is_read_from_the_lines(text: str, address: tuple[str, str, str] | None) -> None:
    line = WrittenEvidence(node="n", file="w.log", line=10, time=None, text="UNAVAILABLE", block=[text])
    values = collect_step_values({"task": "ps:0"}, [line])
    assert (values.get("host"), values.get("port"), values.get("address")) == (address or (None, None, None))
    assert collect_step_values({"host": "n9"}, [line]) == {"host": "n9"}


def test_a_route_is_asked_for_a_host_without_its_port() -> None:
    assert fill_step("`ip route get ADDRESS`", {"address": "10.0.0.7:2222"}, "n1") == "`ip route get 10.0.0.7`"


def test_a_traceback_is_shown_with_its_own_frame_and_its_exception() -> None:
    block = [
        '  File "/opt/job/train.py", line 7, in main',
        "    fit(data)",
        '  File "/usr/lib/python3.11/site-packages/keras/engine.py", line 900, in fit',
        "    raise ValueError(x)",
        "ValueError: bad shape",
    ]
    line = WrittenEvidence(
        node="n", file="w.log", line=10, time=None, text="Traceback (most recent call last):", block=block
    )
    [excerpt] = choose_deciding_lines([line])
    assert [shown.text for shown in excerpt.lines] == [line.text, *block[:2], "ValueError: bad shape"]
    end = WrittenEvidence(node="n", file="w.log", line=15, time=None, text="ValueError: bad shape")
    [excerpt] = choose_deciding_lines([line, end])
    assert excerpt.lines[-1].number == 15


def test_the_header_has_the_facts_of_the_job_and_what_the_caller_added() -> None:
    facts = describe_job(typed({**oom(), "meta": {"ticket": "OPS-41"}, "settings": {"tensorflow": "2.16.1"}}))
    assert facts[0] == ("ticket", "OPS-41") and ("TensorFlow", "2.16.1") in facts and ("", "5 nodes") in facts


def test_anchors_survive_a_second_run_with_more_lines() -> None:
    def anchor_of(page: str) -> str:
        return page.partition("train-0/worker.log:3990</a>")[0].rpartition('href="#')[2].partition('"')[0]

    more = oom()
    more["unclassified"] = []
    assert anchor_of(render_html(typed(oom()))) == anchor_of(render_html(typed(more))) != ""


@pytest.mark.browser
@needs_browser
def test_the_first_screen_in_a_browser(browser: sync_api.Browser, tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    made = oom()
    made["nodes"], made["hard_facts"] = made["nodes"][1:4], made["hard_facts"][1:4]  # type: ignore[index]
    page.write_text(render_html(typed(made)), encoding="utf-8")
    with Visit(browser, page, permissions=["clipboard-read", "clipboard-write"]) as visit:
        for selector in (
            "#how-ended",
            ".ends tr.culprit",
            "#verdict .row.hit",
            ".last .lines",
            "svg.mini",
            "ol.steps-list",
        ):
            box = visit.page.locator(selector).first.bounding_box()
            assert box is not None and box["y"] + box["height"] <= 800, (selector, box)
        visit.page.locator("button.copy-command").last.click()
        visit.page.locator("#said", has_text="Copied the command").wait_for()
        assert visit.page.evaluate("navigator.clipboard.readText()") == "py-spy dump --pid 4242"
        visit.page.locator(".ends tr.culprit a").first.click()
        assert "exited with code 137" in visit.page.locator(":target").inner_text()
        visit.page.fill("#find", "Something odd")
        assert visit.page.locator("#unknown details").first.is_visible()
        assert not visit.page.locator("#skew table tr").nth(1).is_visible()
        visit.page.fill("#find", "")
        visit.page.fill("#find-node", "train-3")
        rows = visit.page.locator("#nodes tbody tr:visible")
        assert rows.count() == 1 and "train-3" in rows.first.inner_text()
        assert visit.messages == []


@pytest.mark.browser
@needs_browser
def test_ten_thousand_nodes_open_and_answer_at_once(browser: sync_api.Browser, tmp_path: Path) -> None:
    page = tmp_path / "many.html"
    page.write_text(render_html(typed(many(10_000))), encoding="utf-8")
    with Visit(browser, page) as visit:
        visit.page.fill("#find", "gpu-0")
        took = visit.page.evaluate(
            "() => ['gpu-05', 'gpu', 'lost', '9', ''].map((words) => {"
            "const at = performance.now(), find = document.getElementById('find');"
            "find.value = words; find.dispatchEvent(new Event('input')); return performance.now() - at; })"
        )
        assert min(took) < 100 and visit.messages == []  # milliseconds; the machine may be busy
        opened = visit.page.evaluate("performance.getEntriesByType('navigation')[0].domInteractive")
        assert opened < 5000  # 0.4 s on a machine of its own


def test_ten_thousand_nodes_stay_below_ten_megabytes() -> None:
    """Whatever they differ in, and with all lines that a real end has."""
    made = many(10_000)
    around = {
        "first_line": 1,
        "lines": [f"line {number} of what the program wrote, at some length" for number in range(9)],
    }
    for index, end in enumerate(made["hard_facts"]):  # type: ignore[arg-type, var-annotated]
        end["ended"]["evidence"]["context"] = around
        end["last_line"] = {**end["ended"]["evidence"], "line": 77, "text": f"2026-03-04 INFO step {index} loss 0.3"}
    members = {f"{index} members (worker: gpu-{index:04d}:2222, ...)": [f"gpu-{index:04d}"] for index in range(10_000)}
    made["skew"] = [{"key": "cluster", "values": members}, {"key": "exit code", "values": {"1": list(members)}}]
    page = render_html(typed(made))
    assert len(page.encode()) < 10_000_000 and "9,970 more values in the embedded data" in page
    read_back = read_embedded(page)
    assert len(read_back["hard_facts"]) == 10_000 and read_back["hard_facts"][-1]["ended"]["how"]


@pytest.mark.browser
@needs_browser
def test_a_real_job_of_three_nodes_fits_the_first_screen_a_phone_and_paper(
    browser: sync_api.Browser, tmp_path: Path
) -> None:
    page = tmp_path / "r.html"
    page.write_text(render_html(write_incident(analyze([OOM_BUNDLE]))), encoding="utf-8")
    with Visit(browser, page) as visit:
        for selector in (".ends table", "ol.steps-list", "svg.mini", "#verdict .proof .passage", ".last .lines"):
            box = visit.page.locator(selector).last.bounding_box()
            assert box is not None and box["y"] + box["height"] <= 800, (selector, box)
        assert "strategy MultiWorkerMirroredStrategy" in visit.page.locator(".job").inner_text()
        links = visit.page.locator(".ends tr.culprit td a")
        assert [link.inner_text() for link in links.all()][:2] == ["SIGKILL (status 137)", "7"]
        visit.page.emulate_media(media="print")
        cut = "[...document.querySelectorAll('.last .lines, pre')].filter((e) => e.scrollHeight > e.clientHeight + 1)"
        assert visit.page.evaluate(f"{cut}.length") == 0
        assert "what is folded stays folded" in visit.page.locator(".printed").inner_text()
    with Visit(browser, page, (400, 844)) as visit:
        assert visit.page.evaluate("(e => e.scrollWidth - e.clientWidth)(document.querySelector('.ends .scroll'))") <= 0


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_new_places_is_neutral(text: str) -> None:
    made = hostile(text)
    made["meta"] = {text: text}
    page = render_html(typed(made))
    assert "<svg/onload" not in page and "<img src=x" not in page and "window.hacked=1</script>" not in page


@pytest.mark.parametrize("hostile_text", ["", *HOSTILE])
def test_a_brief_is_short_and_has_facts_reasons_and_lines(hostile_text: str) -> None:
    text = render_brief(typed(hostile(hostile_text) if hostile_text else many()))
    assert len(text.encode("utf-8", "backslashreplace")) <= 20_000
    for words in ("How each node ended", "SIGKILL", "for: ", "Deciding lines", "The last lines of a log"):
        assert words in text


def test_thinned_progress_keeps_the_last_step() -> None:
    points = [(float(time), time) for time in range(1605)]
    kept = thin_out(points)
    assert kept[0] == points[0] and kept[-1] == points[-1] and len(kept) <= 502


def test_a_long_capture_opens_and_a_long_name_of_a_file_is_short_in_links() -> None:
    made, long_value, name = oom(), "value " * 60 + "its end", f"{'a1b2c3' * 10}-json.log"
    cause = made["root_causes"][0]  # type: ignore[index]
    cause["captures"] = {"path": long_value}
    for row in cause["evidence"]:
        row["file"] = f"containers/{'a1b2c3' * 10}/{name}"
    page = render_html(typed(made))
    opened = page.partition('<details class="long"><summary><mark>value ')[2].partition("</details>")[0]
    assert f"<mark>{long_value}</mark>" in opened
    assert f">{name[:23]}…{f'{name}:812'[-24:]}</b></a>" in page, "the title and the target have it all"


def test_long_names_of_frames_and_curves_open_on_click() -> None:
    made, name, title = oom(), f"ns::{'Averylongname' * 20}::End", "a control group of a long name " * 9 + "its end"
    made["cores"][0]["threads"][0]["frames"][0]["function"] = name  # type: ignore[index]
    curve = {"node": "train-2", "scope": "cgroup", "metric": "memory", "what": title, "unit": "bytes", "limit": None}
    points = [[0.0, 1.0, 1.0, 1.0], [5.0, 2.0, 2.0, 2.0]]
    measured = {"file": "flight.jsonl", "start": "2026-03-04T02:19:00Z", "samples": 2, "method": "mean"}
    made["resources"] = [{**curve, **measured, "points": points}]
    page = render_html(typed(made))
    for full_name in (name, title):
        assert re.search(rf'<details class="long"><summary>(?:(?!</details>).)*{full_name}<', page, re.DOTALL), (
            full_name
        )


def test_the_figure_stands_below_the_column_that_ends_first() -> None:
    made = oom()
    root = made["root_causes"][0]  # type: ignore[index]
    root["why"], root["remediation"] = ["a reason that is told at some length " * 8] * 4, ["a step " * 30] * 4
    page = render_html(typed(made))
    assert page.index("Deciding lines") < page.index("Around the failure") < page.index('id="evidence"')
    root["why"], root["remediation"], root["against"] = ["short"], [], []
    page = render_html(typed(made))
    assert page.index("Around the failure") < page.index("Deciding lines")


def test_the_last_lines_are_those_of_a_log_and_not_of_a_setting() -> None:
    """The only log of the culprit looks like a launcher's; its TF_CONFIG has no time."""
    written = write_incident(analyze([OOM_BUNDLE.parents[1] / "collective-shape/bundle.tar.gz"]))
    [last] = [last for last in written.last_lines if last.node == written.root_causes[0].node]
    assert last.file.endswith("LOG.txt") and len(last.lines) == 20


@pytest.mark.parametrize(
    ("name", "prefix", "end"),
    [
        ("fd-limit", "0: ", "Too many open files: '/opt/job/plan.yaml'"),
        ("killed-leader", "[1,0]<stderr>:", "step 12 loss 0.3138 (102 ms)"),
        ("tf-config-index", "1: ", "exceeds the maximum id of worker."),
    ],
)
def test_of_a_file_of_several_nodes_the_last_lines_are_those_of_the_culprit(name: str, prefix: str, end: str) -> None:
    written = write_incident(incident_of(bundle_of(name)))
    last = written.last_lines[0]
    assert last.node == written.root_causes[0].node
    assert len(last.lines) == len(last.numbers) == 20 and all(line.startswith(prefix) for line in last.lines)
    assert last.lines[-1].endswith(end)
    shown = render_html(written).partition("The last 20 lines of ")[2].partition("</details>")[0]
    assert f'<span class="no">{last.numbers[-1]}</span>' in shown and shown.count('class="row"') == 20
    assert f"{last.numbers[-1]:>6}  {last.lines[-1]}" in render_brief(written)


def test_a_node_that_ended_long_before_the_others_in_one_file_has_its_last_lines(tmp_path: Path) -> None:
    steps = [
        f"{rank}: 2026-11-21 20:{step // 60:02}:{step % 60:02},000 [INFO] worker-{rank} train: step {step} loss 0.5"
        for step in range(2400)
        for rank in (0, 1)
        if rank == 0 or step < 300
    ]
    incident = analyze_files(tmp_path, {"slurm-7.out": "\n".join([*steps, "srun: error: n1: task 1: Killed", ""])})
    lasts = write_incident(incident).last_lines
    assert len(incident.nodes) == 2
    assert sorted(last.lines[-1].partition("train: ")[2] for last in lasts) == [
        "step 2399 loss 0.5",
        "step 299 loss 0.5",
    ]
    assert all(len(last.lines) == 20 for last in lasts)


def first_card(name: str) -> tuple[str, str]:
    """Return the first card of a fixture's report, and the rest of the page."""
    page = render_html(write_incident(incident_of(bundle_of(name)))).partition('id="incident-data"')[0]
    card, _, below = page.partition('<section id="verdict"')[2].partition("</section>")
    return card, below


@pytest.mark.parametrize("name", ["killed-worker", "fd-limit", "straggler", "finished-early"])
def test_each_last_step_and_each_end_leads_to_its_line(name: str) -> None:
    card, below = first_card(name)
    cells = re.findall(r'<td data-label="(?:Last step|Ended)"[^>]*>(.+?)</td>', card)
    targets = [re.search(r'href="#([^"]+)"', cell) for cell in cells]
    assert cells and all(targets), cells
    assert all(f'id="{target[1]}"' in below for target in targets if target)


def test_the_last_step_of_nodes_alike_leads_to_the_least_one() -> None:
    made = many()
    for number, fact in enumerate(made["hard_facts"]):  # type: ignore[arg-type]
        line = {"node": fact["node"], "file": "w.log", "line": 1000 - number, "time": None, "text": "step"}
        fact.update(last_step=5 + number % 2, last_step_line=line)
    rows = [row for row in list_endings(typed(made)).rows if " to " in row.last_step]
    assert rows and all(row.step_line for row in rows)


@pytest.mark.parametrize(
    ("name", "reason", "target"),
    [
        ("memory-cgroup-oom", "is a process of the job", "#line-"),
        ("collective-order", "more nodes report another node as lost", "#line-"),
        ("finished-early", "train-a2 ended well, as expected from this cause (", "#line-"),
        ("version-skew", "only this node has tensorflow 2.15.1", "#skew"),
        ("straggler", "in a step, the others", "#evidence"),
        ("nan-loss", "nodes show it in the same way", "#evidence"),
        ("tf-config-duplicate", "Next candidate", "#cause-1"),
    ],
)
def test_each_reason_leads_to_what_it_rests_on(name: str, reason: str, target: str) -> None:
    card, below = first_card(name)
    item = next(item for item in re.findall("<li>(.*?)</li>", card, re.DOTALL) if reason in item)
    href = re.search(r'href="(#[^"]+)"', item)
    assert href and href[1].startswith(target) and f'id="{href[1][1:]}"' in below


@pytest.mark.parametrize("name", ["collective-shape", "nan-loss"])
def test_a_rule_in_two_parts_of_the_cascade_has_two_anchors(name: str) -> None:
    names = re.findall(r'\sid="([^"]+)"', "".join(first_card(name)))
    assert len(names) == len(set(names)) and any(name.startswith("rule-") for name in names)


def test_a_healthy_run_states_one_last_step() -> None:
    """Keras counts steps anew in each epoch: the header, the table and the verdict agree."""
    page = render_html(write_incident(analyze([OOM_BUNDLE.parents[1] / "keras-leader-leaves/bundle.tar.gz"])))
    assert page.count("last step <b>15</b>") == 1 and "<dt>Last step</dt><dd>15" in page


def test_the_commands_of_rules_are_code_so_that_captured_values_fill_them() -> None:
    """HOST, PORT, NAME or PID outside of backticks stays as it is written."""
    bare = re.compile(r"\b(?:HOST PORT|--pid PID|hosts NAME|get ADDRESS)\b")
    steps = [
        (file.name, line.strip())
        for file in sorted((OOM_BUNDLE.parents[2] / "rules").glob("*.yaml"))
        for line in file.read_text().splitlines()
        if bare.search(re.sub(r"`[^`]*`", "", line))
    ]
    assert not steps


@pytest.mark.browser
@needs_browser
def test_long_names_leave_the_facts_in_one_row_and_times_whole(browser: sync_api.Browser, tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    bundle = OOM_BUNDLE.parents[1] / "corrupt-record/bundle.tar.gz"
    page.write_text(render_html(write_incident(analyze([bundle]))), encoding="utf-8")
    with Visit(browser, page) as visit:
        tops = visit.page.evaluate(
            "[...document.querySelectorAll('#verdict .facts > div')].map((part) => part.getBoundingClientRect().top)"
        )
        heights = visit.page.evaluate(
            "[...document.querySelectorAll('.ends time')].map((time) => time.getBoundingClientRect().height)"
        )
        assert len(set(tops)) == 1 and max(heights) < 24
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 1280
        visit.page.set_viewport_size({"width": 718, "height": 1000})  # A4 without its margins
        visit.page.emulate_media(media="print")
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 718


def test_a_cut_line_of_a_brief_shows_that_it_is_cut() -> None:
    made = many()
    made["last_lines"] = [{**made["last_lines"][0], "lines": ["xword" * 100]}]
    assert "…\n" in render_brief(typed(made))

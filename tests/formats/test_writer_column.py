"""The column that names the writer of each line of a merged file is learned; numbered names of other things are not."""

from __future__ import annotations

import pytest

from analyzer.formats import read_line
from analyzer.formats.records.writer_column import find_writer_column
from analyzer.formats.unwrap import choose_unwrapper

LINES = range(10, 50)


def unwrap(text: str) -> list[str]:
    unwrapper = choose_unwrapper(text.encode())
    return (
        (unwrapper.feed(text.encode()) + unwrapper.finish()).decode().splitlines() if unwrapper else text.splitlines()
    )


def merged(form: str) -> str:
    return "".join(form.format(second=number, number=number * 7 % 3) + "\n" for number in LINES)


@pytest.mark.parametrize(
    ("form", "writer", "message"),
    [
        ("2026-11-24 10:33:{second} | gpu0{number} | epoch 3", "gpu01", "epoch 3"),
        ("2026-11-24T10:33:{second};node-{number};INFO;epoch 3", "node-1", "INFO;epoch 3"),
        ("2026-11-24 10:33:{second} INFO [gpu0{number}] epoch 3", "gpu01", "epoch 3"),
        ("2026-11-24 10:33:{second} - ps{number} - ERROR - boom", "ps1", "boom"),
        ("gpu0{number} 2026-11-24 10:33:{second} epoch 3", "gpu01", "epoch 3"),
        ("24.11.2026 10:33:{second} gpu0{number} Epoche", "gpu01", "Epoche"),
        ("10:33:{second} 10.0.3.{number} hello there", "10.0.3.1", "hello there"),
        ("gpu0{number} - epoch 3", "gpu01", "epoch 3"),
    ],
)
def test_the_column_is_learned(form: str, writer: str, message: str) -> None:
    line = read_line(unwrap(merged(form))[0])
    assert line.host == writer
    assert line.message.endswith(message)


def test_a_line_without_a_name_continues_the_one_above() -> None:
    lines = unwrap(merged("2026-11-24 10:33:{second} gpu0{number} x") + "Traceback:\n")
    assert lines[-1] == "[pod/gpu01/-] Traceback:"


@pytest.mark.parametrize(
    ("message", "prefix"), [("To enable the following instructions: AVX2", ""), ("x", "[pod/gpu01/-] ")]
)
def test_a_collectors_own_line_has_a_time_and_no_name_where_continuations_have_one(message: str, prefix: str) -> None:
    own = "2026-11-24 10:34:00 Cancelling nested steps due to timeout"
    lines = unwrap(merged(f"2026-11-24 10:33:{{second}} gpu0{{number}}: {message}") + own + "\n")
    assert lines[-1] == prefix + own


def test_a_lone_numbered_name_is_a_writer_beside_others() -> None:
    names = ("chief-0", "worker-1", "worker-2", "worker-1")
    text = "".join(f"{names[number % 4]} message {number}\n" for number in LINES)
    column = find_writer_column(text.encode())
    assert column is not None and column.names == {"chief-0", "worker-1", "worker-2"}


def test_parts_of_a_kernel_are_no_writers() -> None:
    names = ("ata1", "IPv6", "ata2", "EXT4-fs", "mlx5", "usb1", "IPv6", "md0")
    text = "".join(f"2026-11-24 10:33:{number} {names[number % 8]}: message {number}\n" for number in LINES)
    assert find_writer_column(text.encode()) is None


def test_a_writer_that_speaks_late_is_known_by_its_family() -> None:
    lines = unwrap(merged("2026-11-24 10:33:{second} gpu0{number} x") + "2026-11-24 10:35:00 gpu17 dying\n")
    assert lines[-1] == "[pod/gpu17/-] 2026-11-24 10:35:00 dying"


@pytest.mark.parametrize(
    ("form", "stream"),
    [
        ("2026-11-24 10:33:{second} gx-3{number}  bert-worker-{number} epoch 3", "bert-worker-1 on gx-31"),
        ("2026-11-24 10:33:{second};bert-worker-{number};gx-3{number};epoch 3", "bert-worker-1 on gx-31"),
        ("10.0.3.{number} 2026-11-24 10:33:{second} vit-x{number}k9 epoch 3", "vit-x1k9 on 10.0.3.1"),
    ],
)
def test_two_columns_of_one_writer_are_learned(form: str, stream: str) -> None:
    line = read_line(unwrap(merged(form))[0])
    assert (line.stream, line.message.split()) == (stream, ["epoch", "3"])


def test_a_machine_has_several_pods() -> None:
    lines = [f"2026-11-24 10:33:{n} gpu{n % 4 // 2} worker-{n % 4} epoch 3" for n in LINES]
    streams = {read_line(line).stream for line in unwrap("\n".join([*lines, ""]))}
    assert streams == {f"worker-{n} on gpu{n // 2}" for n in range(4)}


@pytest.mark.parametrize("second", ["epoch{number}", "INFO", "train", "layer-{second}", "{number}"])
def test_other_words_behind_a_writer_are_no_second_name(second: str) -> None:
    line = read_line(unwrap(merged("2026-11-24 10:33:{second} gpu0{number} " + second + " loss 0.3"))[0])
    assert line.stream == "gpu01"


@pytest.mark.parametrize(
    "form",
    [
        "2026-11-24 10:33:{second},123 Thread-{number} INFO x",
        "2026-11-24 10:33:{second} INFO module{number}.py: x",
        "2026-11-24 10:33:{second} INFO train.loop{number}.py x",
        "2026-11-24 10:33:{second} layer{number} x",
        "2026-11-24 10:33:{second} epoch-{number} x",
        "2026-11-24 10:33:{second} step{second} x",  # passes once
        "loss_{number} 0.{second}\nmean 1\nother 3",  # metrics: less than all lines
        "2026-11-24 10:33:{second} INFO train x{number}",
        "I000{number} 00:00:17673230{second}.123456    4242 loop.cc:7] x",  # the level and the day of Abseil
        "7{number}s         Normal    Pulled      pod/chief-0      {second}",  # ages, in a table of events
    ],
)
def test_numbered_names_of_something_else_are_no_writers(form: str) -> None:
    text = merged(form)
    assert unwrap(text) == text.splitlines()


def test_words_without_a_number_are_no_writers() -> None:
    text = "".join(f"2026-11-24 10:33:{number} {('train', 'val')[number % 2]} loss 1\n" for number in LINES)
    assert unwrap(text) == text.splitlines()


def test_a_table_of_addresses_has_no_writers() -> None:
    text = merged("2 417 eni-0a 10.0.3.{number} 10.0.4.{second} 443 8890 6 REJECT OK")
    assert unwrap(text) == text.splitlines()


def test_the_container_behind_a_pod_is_no_text() -> None:
    lines = unwrap(merged("bert-worker-{number} tensorflow 2026-11-24T10:33:{second}.806973000Z     some words"))
    assert lines[0] == "[pod/bert-worker-1/tensorflow] 2026-11-24T10:33:10.806973000Z     some words"


def test_a_listing_with_a_line_of_each_machine() -> None:
    lines = unwrap("".join(f"c4n{number}: GPU 0: Tesla V100\n" for number in LINES))
    assert lines[0] == "[pod/c4n10/-] GPU 0: Tesla V100"


def test_a_list_of_parts_is_no_listing_of_machines() -> None:
    text = "".join(f"layer{number}: 3x3 conv\n" for number in LINES)
    assert unwrap(text) == text.splitlines()


def test_names_that_the_lines_state_as_hosts_need_not_be_alike() -> None:
    names = ("pc-chief", "pc-store", "calc7")
    first = [f"<{name}> Started server with target: grpc://{name}:2222" for name in names]
    lines = [*first, *(f"<{name}> step {step} loss 0.5" for step in range(5) for name in names)]
    column = find_writer_column("".join(f"{line}\n" for line in lines).encode())
    assert column and column.names == set(names)


def test_records_of_a_logger_name_their_writers() -> None:
    lines = [f"grpc://lim{number}:2222" for number in range(3)]
    lines += [f'{{"quand": "{at}", "machine": "lim{at % 3}", "texte": "pas {"x" * (at % 7)}"}}' for at in range(60)]
    assert unwrap("\n".join(lines) + "\n")[3] == "[pod/lim0/-] pas  quand=0"


def test_a_name_that_begins_like_a_rank_is_a_name() -> None:
    assert unwrap(merged("rankine-0{number} step {second} loss 0.5"))[0] == "[pod/rankine-01/-] step 10 loss 0.5"

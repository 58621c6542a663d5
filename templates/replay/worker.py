#!/usr/bin/env python3
"""A distributed training step that is as small as can be, with one fault in it.

    python worker.py [--control] [--out DIR]

Reads plan.yaml beside it (one `key: JSON value` a line), starts the job's tasks on this machine (one import of
TensorFlow, then a fork for each), does the fault (not with --control), and leaves DIR/<task>/{worker.log,
tf_config.json, exit_code}: what the nodes of a cluster would hand in. Needs TensorFlow and nothing else.
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import json
import logging
import os
import pathlib
import signal
import socket
import struct
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
log = logging.getLogger("replay")


def read_plan(path: pathlib.Path) -> dict:
    lines = (line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#"))
    return {key: json.loads(value) for key, value in (line.split(": ", 1) for line in lines)}


# ---------------------------------------------------------------- faults in the step: (plan, step, batch) -> batch


def raise_exception(plan, step, batch):
    """The incident's exception, by its name: a builtin, one of tf.errors, or a class made for the purpose."""
    import builtins

    import tensorflow as tf

    name, message = plan["exception"].rpartition(".")[2], plan["message"]
    if hasattr(tf.errors, name):
        raise getattr(tf.errors, name)(None, None, message)
    kind = getattr(builtins, name, None)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        kind = type(name, (Exception,), {"__module__": "__main__"})
    raise kind(message)


def make_nan(plan, step, batch):
    return batch * float("nan")


def change_shape(plan, step, batch):
    import tensorflow as tf

    return tf.ones(plan["odd_shape"], batch.dtype)


def change_dtype(plan, step, batch):
    import tensorflow as tf

    return tf.cast(batch, plan["odd_dtype"])


def allocate(plan, step, batch):
    import tensorflow as tf

    return batch + tf.reduce_sum(tf.zeros(plan["alloc_shape"]))


def leak_files(plan, step, batch):
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    kept = []
    while True:
        kept.append((HERE / "plan.yaml").open())


def read_corrupt_record(plan, step, batch):
    return read_file(b"\x20\0\0\0\0\0\0\0" + bytes(44), plan)


def read_missing_file(plan, step, batch):
    return read_file(None, plan)


def read_file(content: bytes | None, plan):
    import tensorflow as tf

    path = pathlib.Path(plan["path"])
    if content is not None:
        path = pathlib.Path.cwd() / path.name
        path.write_bytes(content)
    return tf.constant([len(record.numpy()) for record in tf.data.TFRecordDataset(str(path))], tf.float32)


def fill_disk(plan, step, batch):
    """/dev/full answers every write as a full device does, to anybody."""
    import tensorflow as tf

    path = pathlib.Path.cwd() / "full"
    path.symlink_to("/dev/full")
    tf.io.write_file(str(path), tf.constant(b"x" * 2**20))
    return batch


def cut_checkpoint(plan, step, batch):
    checkpoint, path = save_weights(512)
    os.truncate(path + ".data-00000-of-00001", 1024)
    checkpoint.read(path).assert_consumed()
    return batch


def load_other_checkpoint(plan, step, batch):
    import tensorflow as tf

    path = save_weights(512)[1]
    tf.train.Checkpoint(weights=tf.Variable(tf.ones([640]))).read(path).assert_consumed()
    return batch


def forbid_checkpoint(plan, step, batch):
    folder = pathlib.Path.cwd() / "checkpoints"
    folder.mkdir(mode=0o500)
    become_nobody()
    save_weights(512, folder)
    return batch


def save_weights(size: int, folder: pathlib.Path | None = None):
    """(a checkpoint object, the path that it was written to)."""
    import tensorflow as tf

    checkpoint = tf.train.Checkpoint(weights=tf.Variable(tf.ones([size])))
    return checkpoint, checkpoint.write(str((folder or pathlib.Path.cwd()) / f"ckpt-{size}"))


def become_nobody() -> None:
    """Root may write everything and start as many threads as it likes."""
    if os.geteuid() == 0:
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # the kernel forgets PR_SET_PDEATHSIG when the user changes


def exhaust_threads(plan, step, batch):
    import resource
    import threading

    become_nobody()
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    while True:
        threading.Thread(target=time.sleep, args=(plan["limit"],), daemon=True).start()


def load_library(plan, step, batch):
    ctypes.CDLL(plan["library"])
    return batch


def run_illegal_instruction(plan, step, batch):
    import mmap

    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\x0f\x0b" if os.uname().machine == "x86_64" else bytes(4))  # ud2; udf #0 of aarch64
    ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


def finish(plan, step, batch):
    log.info("epoch finished after %d steps, the shard has no more records", step)
    sys.exit(0)


def slow_down(plan, step, batch):
    time.sleep(plan["delay"])
    return batch


def read_null(plan, step, batch):
    ctypes.string_at(0)


def abort(plan, step, batch):
    os.abort()


IN_STEP = {
    "exception": raise_exception,
    "nan": make_nan,
    "shape-mismatch": change_shape,
    "dtype-mismatch": change_dtype,
    "allocation": allocate,
    "fd-limit": leak_files,
    "corrupt-record": read_corrupt_record,
    "missing-file": read_missing_file,
    "disk-full": fill_disk,
    "checkpoint-truncated": cut_checkpoint,
    "checkpoint-mismatch": load_other_checkpoint,
    "checkpoint-unwritable": forbid_checkpoint,
    "thread-limit": exhaust_threads,
    "missing-library": load_library,
    "illegal-instruction": run_illegal_instruction,
    "early-finish": finish,
    "straggler": slow_down,
    "segfault": read_null,
    "abort": abort,
}
LASTING = {"straggler"}  # from the step on, not at it alone
SIGNALS = {"killed", "stopped"}  # the launcher sends them


# ---------------------------------------------------------------- faults in TF_CONFIG: (config, plan) -> text


def out_of_range(config, plan):
    return json.dumps({**config, "task": {**config["task"], "index": len(config["cluster"][config["task"]["type"]])}})


def duplicate(config, plan):
    """Another task's index with this task's address, as a second machine with a wrong index has it."""
    job, index = config["task"]["type"], config["task"]["index"]
    addresses = list(config["cluster"][job])
    addresses[index - 1] = addresses[index]
    return json.dumps({"cluster": {**config["cluster"], job: addresses}, "task": {"type": job, "index": index - 1}})


def no_json(config, plan):
    return json.dumps(config)[:-2]


def unresolvable(config, plan):
    cluster = {job: list(addresses) for job, addresses in config["cluster"].items()}
    job, index = plan["culprit"].split(":")
    cluster[job][int(index)] = "no-such-host.invalid:" + cluster[job][int(index)].rpartition(":")[2]
    return json.dumps({**config, "cluster": cluster})


IN_CONFIG = {
    "index-out-of-range": out_of_range,
    "duplicate-index": duplicate,
    "tf-config-invalid": no_json,
}
IN_ALL_CONFIGS = {"unresolvable": unresolvable}


# ---------------------------------------------------------------- the training


def train_collectively(plan: dict, fault) -> None:
    import tensorflow as tf

    shorten_heartbeats(plan)
    options = tf.distribute.experimental.CommunicationOptions(
        implementation=tf.distribute.experimental.CommunicationImplementation[plan["communication"]],
        timeout_seconds=plan["collective_timeout"],
    )
    strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)

    @tf.function(reduce_retracing=False)
    def train_step(batch):
        def replica_step(values):
            context = tf.distribute.get_replica_context()
            return context.all_reduce(tf.distribute.ReduceOp.SUM, tf.identity(values))

        return strategy.run(replica_step, args=(batch,))

    weight = 1.0
    for step in range(1, plan["steps"] + 1):
        batch = fault(step, tf.fill(plan["shape"], weight))  # input: not part of the step's time
        began = time.monotonic()
        summed = train_step(batch)
        loss = float(tf.reduce_mean(summed)) / strategy.num_replicas_in_sync
        log.info("step %d loss %.4f (%d ms)", step, loss, 1000 * (time.monotonic() - began))
        if loss != loss:
            raise FloatingPointError(f"loss is nan at step {step}")
        weight = 0.9 * loss
        time.sleep(plan["pace"])
    log.info("training finished after %d steps", plan["steps"])


def shorten_heartbeats(plan: dict) -> None:
    """A stopped task is noticed after plan's seconds instead of ten and more; a service configured first is kept."""
    from tensorflow.python.eager import context

    try:
        from tensorflow.compiler.xla.tsl.protobuf import coordination_config_pb2 as pb
    except ImportError:
        try:
            from tensorflow.core.protobuf import coordination_config_pb2 as pb
        except ImportError:
            return
    context.context().configure_coordination_service(
        "standalone",
        "/job:worker/replica:0/task:0",
        heartbeat_timeout_in_ms=1000 * plan["heartbeat"],
        coordinated_jobs=[pb.CoordinatedJob(name="worker", num_tasks=plan["cluster"]["worker"])],
    )


def train_with_servers(plan: dict, fault) -> None:
    import tensorflow as tf

    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if resolver.task_type in ("worker", "ps"):
        server = tf.distribute.Server(
            resolver.cluster_spec(),
            job_name=resolver.task_type,
            task_index=resolver.task_id,
            protocol="grpc",
            start=True,
        )
        log.info("serving %s:%d at %s", resolver.task_type, resolver.task_id, server.target)
        server.join()
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        weights = tf.Variable(tf.ones(plan["shape"]))

    @tf.function
    def worker_step():
        weights.assign(weights * 0.9)
        return tf.reduce_mean(weights)

    for step in range(1, plan["steps"] + 1):
        began = time.monotonic()
        fault(step, None)
        results = [coordinator.schedule(worker_step) for _ in range(plan["cluster"]["worker"])]
        coordinator.join()
        log.info("step %d loss %.4f (%d ms)", step, float(results[0].fetch()), 1000 * (time.monotonic() - began))
        time.sleep(plan["pace"])
    log.info("training finished after %d steps", plan["steps"])


def run_task(plan: dict, task: str, control: bool) -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    log.info("starting %s", task)

    def fault(step, batch):
        does = IN_STEP.get(plan["fault"])
        due = step >= plan["step"] if plan["fault"] in LASTING else step == plan["step"]
        return does(plan, step, batch) if does and due and task == plan["culprit"] and not control else batch

    {"MultiWorkerMirroredStrategy": train_collectively, "ParameterServerStrategy": train_with_servers}[
        plan["strategy"]
    ](plan, fault)


# ---------------------------------------------------------------- the launcher


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()  # what is still in the buffer at a fork is written twice


def enter_network() -> bool:
    """A network with nothing but loopback, where the system lets us have one: TensorFlow listens on all addresses."""
    libc = ctypes.CDLL(None, use_errno=True)
    new_net, new_user = 0x40000000, 0x10000000
    if libc.unshare(new_net) and libc.unshare(new_net | new_user):
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        fcntl.ioctl(probe, 0x8914, struct.pack("16sh14x", b"lo", 0x41))  # SIOCSIFFLAGS, IFF_UP | IFF_RUNNING
    return True


def choose_addresses(cluster: dict) -> dict:
    """An address of its own on loopback for each task, so that messages tell who is meant."""
    found, last = {}, 10
    for job, count in cluster.items():
        found[job] = []
        for _ in range(count):
            last += 1
            with socket.socket() as probe:
                probe.bind(("", 0))
                found[job].append(f"127.0.0.{last}:{probe.getsockname()[1]}")
    return found


def config_of(plan: dict, addresses: dict, task: str, control: bool) -> str:
    job, index = task.split(":")
    config = {"cluster": addresses, "task": {"type": job, "index": int(index)}}
    spoil = IN_ALL_CONFIGS.get(plan["fault"]) or (IN_CONFIG.get(plan["fault"]) if task == plan["culprit"] else None)
    return spoil(config, plan) if spoil and not control else json.dumps(config)


def fork_task(plan: dict, task: str, config: str, folder: pathlib.Path, control: bool) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: no task outlives the launcher
        output = os.open(folder / "worker.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.environ["TF_CONFIG"] = config
        os.chdir(folder)
        run_task(plan, task, control)
        code = 0
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 1
    except BaseException:  # noqa: BLE001  as the interpreter does at the end of a program
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(code)  # a fork must not run the launcher's exit handlers


def launch(plan: dict, out: pathlib.Path, control: bool) -> None:
    alone = enter_network()
    addresses = choose_addresses(plan["cluster"])
    tasks = [f"{job}:{index}" for job, count in plan["cluster"].items() for index in range(count)]
    if not control and plan["fault"] == "never-started":
        tasks.remove(plan["culprit"])
    say(f"{'control' if control else plan['fault']}: {', '.join(tasks)}" + ("" if alone else "; no own network"))
    import tensorflow  # noqa: F401  once, and before any thread of its runtime exists

    held, running = None, {}
    if not control and plan["fault"] == "port-in-use":
        job, index = plan["culprit"].split(":")
        held = socket.create_server(("0.0.0.0", int(addresses[job][int(index)].rpartition(":")[2])))
    try:
        for task in tasks:
            folder = out / task.replace(":", "-")
            folder.mkdir(parents=True)
            config = config_of(plan, addresses, task, control)
            (folder / "worker.log").touch()
            (folder / "tf_config.json").write_text(config + "\n")
            running[fork_task(plan, task, config, folder, control)] = task
        wait_for(plan, out, running, control)
    finally:
        for pid in running:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        if held:
            held.close()


def wait_for(plan: dict, out: pathlib.Path, running: dict, control: bool) -> None:
    """Until all have left, or `patience` seconds after the first who did so in error, or as the chief. Writes codes."""
    pending = not control and plan["fault"] in SIGNALS
    watched = out / ("chief-0" if "chief" in plan["cluster"] else plan["culprit"].replace(":", "-")) / "worker.log"
    end = time.monotonic() + plan["limit"]
    while running and time.monotonic() < end:
        if pending and f" step {plan['step']} " in watched.read_text(errors="replace"):
            pending = False
            os.kill(next(pid for pid, task in running.items() if task == plan["culprit"]), plan["signal"])
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            time.sleep(0.02)
            continue
        task, code = running.pop(pid), os.waitstatus_to_exitcode(status)
        (out / task.replace(":", "-") / "exit_code").write_text(f"{code if code >= 0 else 128 - code}\n")
        say(f"{task} left with {code}")
        if task.startswith("chief"):
            return
        if code:
            end = min(end, time.monotonic() + plan["patience"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--control", action="store_true", help="the same job without the fault")
    parser.add_argument("--bound", action="store_true", help="die with the process that started this one")
    parser.add_argument("--out", type=pathlib.Path, default=None)
    options = parser.parse_args()
    if options.bound:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    out = options.out or HERE / ("control" if options.control else "fault")
    if out.exists():
        sys.exit(f"{out} is there already; remove it or name another folder with --out")
    launch(read_plan(HERE / "plan.yaml"), out.resolve(), options.control)


if __name__ == "__main__":
    main()

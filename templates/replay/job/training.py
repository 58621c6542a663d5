"""A custom training loop that is as small as can be, under each strategy."""

from __future__ import annotations

import logging
import select
import time

from job.faults import IN_STEP, LASTING
from job.logs import begin_log
from job.noise import make_noise
from job.plan import UnableError

NEW_OP = "DatasetFingerprint"  # in TensorFlow since 2.17
log = logging.getLogger("replay")


def run_task(plan: dict, task: str, control: bool) -> None:
    begin_log(plan["log"])
    import tensorflow as tf

    log.info("starting %s with TensorFlow %s", task, tf.__version__)

    if control:
        plan = {**plan, "fault": "none"}

    if plan["fault"] == "version-skew":
        check_versions(task, plan["culprit"])

    def fault(step, batch):
        does = IN_STEP.get(plan["fault"])
        due = step >= plan["step"] if plan["fault"] in LASTING else step == plan["step"]
        return does(plan, step, batch) if does and due and task == plan["culprit"] else batch

    TRAIN[plan["strategy"]](plan, fault)


def train_collectively(plan: dict, fault) -> None:
    import tensorflow as tf

    shorten_heartbeats(plan)
    options = tf.distribute.experimental.CommunicationOptions(
        implementation=tf.distribute.experimental.CommunicationImplementation[plan["communication"]],
        timeout_seconds=plan["collective_timeout"],
    )
    train(plan, tf.distribute.MultiWorkerMirroredStrategy(communication_options=options), fault)


def train_on_devices(plan: dict, fault) -> None:
    """MirroredStrategy over logical devices; the fault is in what the last of them is given."""
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * plan["devices"])
    names = [device.name for device in tf.config.list_logical_devices("CPU")]
    train(plan, tf.distribute.MirroredStrategy(names), fault)


def train(plan: dict, strategy, fault) -> None:
    weight = 1.0
    replicas = strategy.extended.worker_devices
    for step in range(1, plan["steps"] + 1):
        make_noise(plan, step)
        if step in (1, plan["step"]):  # traced anew by all, so that the members number their collectives alike
            train_step = make_step(strategy)
        batch = make_batch(plan, strategy, step, weight, fault)  # input: not part of the step's time
        began = time.monotonic()
        summed = strategy.experimental_local_results(train_step(batch)[0])[0]
        loss = float(sum_up(summed)) / strategy.num_replicas_in_sync
        log.info("step %d loss %.4f (%d ms)", step, loss, 1000 * (time.monotonic() - began))
        if loss != loss:
            raise FloatingPointError(f"loss is nan at step {step}")
        weight = 0.9 * loss
        pause(plan["pace"])
    log.info("training finished after %d steps on %d replicas", plan["steps"], len(replicas))
    if plan["meet"]:
        meet(plan, strategy.cluster_resolver.task_id)


def meet(plan: dict, index: int) -> None:
    """Waits for the other workers at the end, as they do before a checkpoint is taken for complete."""
    from tensorflow.python.eager import context

    cluster, patience = context.context(), 1000 * plan["meet"]  # milliseconds
    cluster.set_config_key_value(f"finished/{index}", "yes")
    if index:
        cluster.get_config_key_value("finished/all", patience)
        return
    for other in range(1, plan["cluster"]["worker"]):
        cluster.get_config_key_value(f"finished/{other}", patience)
    cluster.set_config_key_value("finished/all", "yes")
    time.sleep(1)  # the service, which is this process, answers the others


def pause(seconds: float) -> None:
    """Not time.sleep: it fails with EINVAL in CPython 3.11 where libfaketime sets the clock."""
    select.select([], [], [], seconds)


def make_batch(plan: dict, strategy, step: int, weight: float, fault):
    """The gradient and the loss of each replica of this process, as the strategy takes them; the last has the fault."""
    import tensorflow as tf

    last = len(strategy.extended.worker_devices) - 1
    batch = [tf.fill(plan["shape"], weight), tf.fill(plan["second_shape"], weight)]
    given = [fault(step, batch) if replica == last else batch for replica in range(last + 1)]
    if last == 0:
        return given[0]
    return [
        strategy.experimental_distribute_values_from_function(
            lambda context, at=at: given[context.replica_id_in_sync_group][at]
        )
        for at in range(len(batch))
    ]


def make_step(strategy):
    import tensorflow as tf

    @tf.function(reduce_retracing=False)
    def train_step(batch):
        def replica_step(tensors):
            context = tf.distribute.get_replica_context()
            return [context.all_reduce(tf.distribute.ReduceOp.SUM, tf.identity(tensor)) for tensor in tensors]

        return strategy.run(replica_step, args=(batch,))

    return train_step


def sum_up(tensor):
    import tensorflow as tf

    return tf.reduce_mean(tf.cast(tensor, tf.float32))


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
        serve(plan, resolver, fault)
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        weights = tf.Variable(tf.ones([4, 1]))

    @tf.function
    def worker_step(features):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(features, weights)))
        weights.assign_sub(0.05 * tape.gradient(loss, weights))
        return loss + (use_new_op() if plan["fault"] == "version-skew" else 0.0)

    for step in range(1, plan["steps"] + 1):
        make_noise(plan, step)
        batch = fault(step, [tf.ones([2, 4])])
        began = time.monotonic()
        results = [coordinator.schedule(worker_step, args=(batch[0],)) for _ in range(plan["cluster"]["worker"])]
        coordinator.join()
        loss = float(results[0].fetch())
        log.info("step %d loss %.4f (%d ms)", step, loss, 1000 * (time.monotonic() - began))
        if loss != loss:
            raise FloatingPointError(f"loss is nan at step {step}")
        pause(plan["pace"])
    log.info("training finished after %d steps", plan["steps"])


def check_versions(task: str, culprit: str) -> None:
    """That the chief, and not the task at fault, knows the operation."""
    import tensorflow as tf

    if task.startswith("chief") and not hasattr(tf.raw_ops, NEW_OP):
        raise UnableError(f"TensorFlow 2.17 or later for the chief, which is to know {NEW_OP}")
    if task == culprit and hasattr(tf.raw_ops, NEW_OP):
        raise UnableError(f"TensorFlow 2.16 or earlier under the other Python, which is not to know {NEW_OP}")


def use_new_op():
    import tensorflow as tf

    dataset = tf.data.experimental.to_variant(tf.data.Dataset.range(1))
    return 0.0 * tf.cast(getattr(tf.raw_ops, NEW_OP)(input_dataset=dataset), tf.float32)


def serve(plan: dict, resolver, fault) -> None:
    """Until the launcher ends it; a fault of a server's own comes once it serves."""
    import tensorflow as tf

    server = tf.distribute.Server(
        resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol="grpc", start=True
    )
    log.info("serving %s:%d at %s", resolver.task_type, resolver.task_id, server.target)
    fault(plan["step"], [tf.ones([2, 4])])
    server.join()


TRAIN = {
    "MirroredStrategy": train_on_devices,
    "MultiWorkerMirroredStrategy": train_collectively,
    "ParameterServerStrategy": train_with_servers,
}

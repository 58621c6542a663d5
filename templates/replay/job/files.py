"""Faults of files: damaged, missing, not writable, or without space. All files are in the task's own folder."""

from __future__ import annotations

import os
import pathlib

from job.names import RECORDS
from job.place import become_nobody, mount_small
from job.plan import UnableError


def read_corrupt_record(plan, step, batch):
    """Return a TFRecord whose length says 32 and whose checksums are zero."""
    path = pathlib.Path.cwd() / RECORDS
    path.write_bytes(b"\x20\0\0\0\0\0\0\0" + bytes(44))
    return read_records(path)


def read_missing_file(plan, step, batch):
    return read_records(pathlib.Path.cwd() / RECORDS)


def read_records(path: pathlib.Path) -> list:
    import tensorflow as tf

    return [tf.constant([len(record.numpy()) for record in tf.data.TFRecordDataset(str(path))], tf.float32)]


def fill_disk(plan, step, batch):
    """Use a file system of 256 KiB if mounting is permitted; otherwise /dev/full, which fails every write like a full
    device.
    """
    import tensorflow as tf

    folder = pathlib.Path.cwd() / "scratch"
    folder.mkdir()
    try:
        mount_small(folder, 2**18)
    except UnableError:
        (folder / "dump").symlink_to("/dev/full")
    tf.io.write_file(str(folder / "dump"), tf.constant(b"x" * 2**20))
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
    """Return (a checkpoint object, the path that it was written to)."""
    import tensorflow as tf

    checkpoint = tf.train.Checkpoint(weights=tf.Variable(tf.ones([size])))
    return checkpoint, checkpoint.write(str((folder or pathlib.Path.cwd()) / f"ckpt-{size}"))

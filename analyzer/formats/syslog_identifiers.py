"""The kinds of programs that syslog identifiers name."""

from __future__ import annotations

import re
from functools import lru_cache

from analyzer.model import Kind

_SCHEDULER = re.compile(
    r"slurm|srun|sbatch|kube|containerd|docker|crio|podman|etcd|pbs|lsf|lim$|sbatchd|mbatchd|sge_|condor|supervisord|nomad"
    r"|(?:systemd-)?oomd?$|earlyoom|raylet|horovodrun|mpirun|mpiexec|orted|prted?|hydra|torchrun|tf-operator",
    re.IGNORECASE,
).match
_WORKER = re.compile(
    r"(?:.*[-_.])?(?:python|tensorflow|tf(?:[-_.\d]|$)|tfjob|(?:pre|re)?train|worker|chief|horovod|keras)",
    re.IGNORECASE,
).match
_SYSTEM = re.compile(
    r"(?:systemd(?:-\w+)?|sshd|cron|crond|anacron|dbus(?:-daemon)?|rsyslogd|chronyd|ntpd|NetworkManager|mcelog|rasdaemon"
    r"|smartd|nv-hostengine|nvidia-\w+|opensm|autofs|automount|rpc\.\w+|udevd|multipathd|mmfs|lnet|su|sudo)$",
    re.IGNORECASE,
).match


@lru_cache(4096)
def is_known_identifier(ident: str) -> bool:
    """Whether the word is the name of a known daemon, so that hardly anything else than a syslog line holds it here."""
    return ident == "kernel" or bool(_SYSTEM(ident) or _SCHEDULER(ident))


@lru_cache(4096)
def kind_of_identifier(ident: str) -> Kind:
    """Return the kind of the program with this syslog identifier; SYSTEM for an unknown daemon."""
    if ident == "kernel":
        return Kind.KERNEL
    name = ident.rsplit("/", 1)[-1]
    if _SCHEDULER(name):
        return Kind.SCHEDULER
    return Kind.WORKER if _WORKER(name) else Kind.SYSTEM

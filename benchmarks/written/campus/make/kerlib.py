"""Start keras_fit.py on every host of the list."""
from lib import *
def fit(n, hosts, args, port, log="{h}.log", extra=None, only=None, pyv="215", names=None, append=False, post=""):
    names = names or hosts; ps = []
    for i, h in enumerate(hosts):
        if only is not None and i not in only: ps.append(None); continue
        e = {"TF_CONFIG": {"cluster": {"worker": [x + f":{port}" for x in names]}, "task": {"type": "worker", "index": i}}, **(extra or {})}
        ps.append(n.start(h, f"{PY[pyv]} {MAKE}/keras_fit.py {args}{post.format(i=i, h=h)}", log.format(h=h, i=i), e, append=append))
    return ps

"""Start the parameter server job: roles = [(host, type, index)], all on one port."""
from lib import *
def cluster(roles, port): 
    c = {}
    for h, ty, i in roles: c.setdefault(ty, []).append(f"{h}:{port}")
    return c
def start(n, roles, port, extra=None, only=None, log="{ty}{i}.log", prog="psjob.py", pre=None, append=False):
    c = cluster(roles, port); ps = {}
    for h, ty, i in roles:
        if only and (ty, i) not in only: continue
        ps[ty, i] = n.start(h, f"{PY['221']} {MAKE}/{prog}", log.format(h=h, ty=ty, i=i), {"TF_CONFIG": {"cluster": c, "task": {"type": ty, "index": i}}, **(extra or {})}, append=append, pre=(pre or {}).get((ty, i), ""))
    return ps

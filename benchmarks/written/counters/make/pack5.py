from pk import *
def flux():
    r = Run("flux_ckpt", "2026-07-02 03:14:20", tz=0, paths=[("/opt/incidents/make/ps_coord.py", "/g/g14/ohara5/emb/run_emb.py"), ("/opt/incidents/make", "/g/g14/ohara5/emb"), ("/opt/incidents/work/flux", "/p/lustre2/ohara5/emb/ck"), ("/opt/tfenv", "/collab/usr/gapps/tf/2.21")])
    F = {}
    for a, jid in (("a1", "f3Rk8uqGsTw"), ("a2", "f3Rk94XmKb5")):
        K = [f"{a}.chief", f"{a}.ps", f"{a}.w0"]; m = r.merged(K); t0 = r.when(K[0], "start"); t1 = r.when(K[0])
        o = [{"timestamp": round(t0, 6), "name": "header", "context": {"version": 1, "encoding": {"stdout": "UTF-8", "stderr": "UTF-8"}, "count": {"stdout": 3, "stderr": 3}, "options": {}}}]
        for t, k, s, x in m:
            o.append({"timestamp": round(t, 6), "name": "data", "context": {"stream": "stdout" if s == "o" else "stderr", "rank": str(K.index(k)), "data": x + "\n"}})
        F[f"{jid}/guest.output"] = "".join(json.dumps(e) + "\n" for e in o)
        ev = [(t0 - 7, "submit", {"userid": 61233, "urgency": 16, "flags": 0, "version": 1}), (t0 - 6.9, "validate", None), (t0 - 6.8, "depend", None), (t0 - 6.7, "priority", {"priority": 50016}), (t0 - 3, "alloc", None), (t0 - .4, "start", None)]
        if a == "a1": ev += [(t1 - .2, "exception", {"type": "timeout", "severity": 0, "note": "resource allocation expired", "userid": 765}), (t1 + 6, "finish", {"status": 36608})]
        else: ev += [(t1 + .3, "exception", {"type": "exec", "severity": 0, "note": "tuo1101: rank 0: task 0: Exited with code 1", "userid": 765}), (t1 + 1.4, "finish", {"status": 256})]
        ev += [(ev[-1][0] + .1, "release", {"ranks": "all", "final": True}), (ev[-1][0] + .2, "free", None), (ev[-1][0] + .3, "clean", None)]
        F[f"{jid}/eventlog"] = "".join(json.dumps(dict({"timestamp": round(t, 6), "name": n}, **({"context": c} if c else {}))) + "\n" for t, n, c in ev)
        F[f"{jid}/R"] = json.dumps({"version": 1, "execution": {"R_lite": [{"rank": "12-14", "children": {"core": "0-95"}}], "nodelist": ["tuo[1101-1103]"], "starttime": int(t0 - 3), "expiration": int(t0 + (20 if a == "a1" else 3600))}}) + "\n"
        F[f"{jid}/jobspec.json"] = json.dumps({"version": 1, "resources": [{"type": "node", "count": 3, "with": [{"type": "slot", "count": 1, "label": "task", "with": [{"type": "core", "count": 8}]}]}], "tasks": [{"command": ["bash", "emb.sh"], "slot": "task", "count": {"per_slot": 1}}],
            "attributes": {"system": {"duration": 20.0 if a == "a1" else 3600.0, "cwd": "/g/g14/ohara5/emb", "environment": {"EMB_WIDTH": "16" if a == "a1" else "24", "OMP_NUM_THREADS": "1"}, "job": {"name": "emb"}}}}, indent=1) + "\n"
    t1 = r.when("a2.chief")
    F["console.tuo1103"] = f"<ConMan> Console [tuo1103] log opened at {ts(t1 - 86400 * 2, '%m-%d-%Y %H:%M:%S')}.\n[918223.118811] LNetError: 3391:0:(o2iblnd_cb.c:3442:kiblnd_check_txs_locked()) Timed out tx: active_txs, 1 seconds\n[918231.553121] Lustre: lustre2-OST000c-osc-ff3a: Connection restored to 172.19.3.44@o2ib500 (at 172.19.3.44@o2ib500)\n[941002.771129] slingshot cxi0: link flap count 1, link up after 340 ms\n"
    pack("amador-5", "tar.gz", F, "checkpoint.mismatch", ["tuo1101", "chief"], [],
        "Second job (f3Rk94XmKb5): ValueError 'Received incompatible tensor with shape (64, 16) when attempting to restore variable with shape (64, 24)': EMB_WIDTH was changed from 16 to 24 between the attempts. The first attempt ended by its 20 s time limit and left good checkpoints; Lustre/link-flap console lines are old and healed.", t1)
if __name__ == "__main__":
    import sys; [globals()[n]() for n in sys.argv[1:]]

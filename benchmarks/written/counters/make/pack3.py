from pk import *
def bankps():
    # survivors only (chief and two workers); the ps host is on another index the requester cannot search
    sk = {"w0": 3, "w1": -41, "chief": 0}
    r = Run("bank_ps", "2026-08-12 06:02:11", tz=-4, skew=sk, paths=[("/opt/incidents/make/ps_coord.py", "/apps/mrkrisk/bin/pd_trainer.py"), ("/opt/incidents/make", "/apps/mrkrisk/bin"), ("/opt/incidents/work/bankps", "/apps/mrkrisk/ckpt"), ("/opt/tfenv", "/apps/mrkrisk/venv")])
    rows = []
    for k, h in (("chief", "HOST01"), ("w0", "HOST03"), ("w1", "HOST04")):
        ev = []
        for t, s, x in r.lines(k):
            if ev and s == ev[-1][1] and (not x or not re.match(r"[IWE]0000|\d\d:\d\d:\d\d |Traceback|WARNING|INFO|2026", x)) and len(ev[-1][2]) < 3000: ev[-1][2] += "\n" + x
            else: ev.append([t, s, x])
        for t, s, x in ev: rows.append((t, [ts(t, "%Y-%m-%dT%H:%M:%S.MS-0400", -4), h, f"/apps/mrkrisk/log/pd_trainer.{'out' if s == 'o' else 'err'}", "mrkrisk:tf:" + ("stdout" if s == "o" else "stderr"), "idx_mrkrisk_np", x]))
    t0 = r.when("chief", "start")
    for dt, h, x in ((-7300, "HOST03", "pd_trainer[2211]: ERROR Kerberos ticket for USER7 expired, renewing"), (-7299, "HOST03", "pd_trainer[2211]: INFO ticket renewed"), (-600, "HOST04", "kernel: Out of memory: Killed process 40112 (java) total-vm:18211044kB, anon-rss:9120044kB, file-rss:0kB, shmem-rss:0kB, UID:2044 pgtables:20012kB oom_score_adj:0")):
        rows.append((t0 + dt, [ts(t0 + dt, "%Y-%m-%dT%H:%M:%S.000-0400", -4), h, "/var/log/messages", "linux_messages_syslog", "idx_mrkrisk_np", ts(t0 + dt, "%b %d %H:%M:%S ", -4) + h + " " + x]))
    rows.sort(key=lambda z: -z[0])
    c = csvtext([["_time", "host", "source", "sourcetype", "index", "_raw"]] + [x for _, x in rows])
    inc = f"""<?xml version="1.0" encoding="UTF-8"?>
<unload unload_date="{ts(t0 + 4000, tz=-4)}">
<incident action="INSERT_OR_UPDATE">
<number>INC0048812</number>
<opened_at>{ts(t0 + 900, tz=-4)}</opened_at>
<caller_id display_value="USER7">6f1e</caller_id>
<cmdb_ci display_value="MRKRISK-PD-TRAIN-NP">a902</cmdb_ci>
<short_description>PD model retraining abended 02:02 EDT, chief rc=1</short_description>
<description>Autosys box MRKRISK_PD_BOX went FA. Export of idx_mrkrisk_np attached (HOST01, HOST03, HOST04). HOST02 logs into idx_platform_shared, USER7 has no role for it, access request RITM0090112 pending.</description>
<work_notes>{ts(t0 + 1800, tz=-4)} - USER12: HOST04 had an OOM ten minutes earlier, please check sizing of workers.
{ts(t0 + 2100, tz=-4)} - USER7: that was the java agent of another application, our worker was not even started then.</work_notes>
<state>2</state>
</incident>
</unload>
"""
    pack("kanata-3", "zip", {"search_export_1755_8812.csv": c, "INC0048812.xml": inc}, "ps.unavailable", ["HOST02", "ps:0"], ["network.unreachable-peer", "process.killed-by-signal"],
        "Only chief and workers were exported: connections to /job:ps/task:0 (10.128.4.12, HOST02) are reset and then refused; why the ps went (SIGKILL) is not in the bundle. Red herrings: OOM kill of another application's java on HOST04, expired ticket that was renewed.", r.when("chief"))
def disc():
    r = Run("disc_coll", "2026-04-18 20:11:40", tz=2, paths=[("mwms_loop.py", "dist_train.py"), ("/opt/incidents/make", "/home/pixel/dist"), ("/opt/incidents/work/ck", "/home/pixel/dist/ckpt"), ("/opt/tfenv", "/home/pixel/.venvs/tf")])
    t = r.when("w0"); ms = []; n = [1362801110000000000]
    def say(dt, who, content, att=None):
        n[0] += 7340033 * 4194304 // 97
        ms.append({"id": str(n[0]), "type": "Default", "timestamp": ts(t + dt, "%Y-%m-%dT%H:%M:%S.MS+00:00"), "timestampEdited": None, "isPinned": False, "content": content,
                   "author": {"id": str(abs(hash(who)) % 10**18) if False else str(sum(map(ord, who)) * 10**14 + 77), "name": who, "discriminator": "0000", "nickname": who, "isBot": False},
                   "attachments": att or [], "embeds": [], "reactions": [], "mentions": []})
    def chunks(x, m=1850):
        cur = ""
        for l in x.split("\n"):
            if len(cur) + len(l) > m and cur: yield cur; cur = ""
            cur += l[:1800] + "\n"
        yield cur
    say(420.2, "pixelsmith", "hey, 3 old gaming rigs, MultiWorkerMirroredStrategy, dies after ~1 min. rig-3 is in my brother's room and he's gone to bed so no logs from that one until tomorrow")
    say(440.9, "pixelsmith", "TF_CONFIG is `{\"cluster\":{\"worker\":[\"rig-1:23456\",\"rig-2:23456\",\"rig-3:23456\"]},\"task\":{\"type\":\"worker\",\"index\":0}}` on rig-1, index 1 and 2 on the others. rig-1 says:")
    for i, c in enumerate(chunks(r.text("w0"))): say(470 + i * 6.3, "pixelsmith", "```\n" + c + "```")
    say(590, "grumpy_otter", "lol wall of text. use a pastebin. also you have no GPU there? `CUDA_ERROR_NO_DEVICE` would kill it")
    say(611.4, "pixelsmith", "no cuda on purpose. rig-2:")
    for i, c in enumerate(chunks(r.text("w1"))): say(640 + i * 5.1, "pixelsmith", "```" + c + "```")
    say(760, "tensor_tom", "had the same with NaNs in my data once, check for nan")
    say(791, "pixelsmith", "loss goes down fine though?")
    say(803, "grumpy_otter", "its always dns")
    say(820, "pixelsmith", "ping rig-3 works from rig-1, 0.4 ms. ok waiting for tomorrow, thx")
    doc = {"guild": {"id": "412233911", "name": "ML Homelab"}, "channel": {"id": "88120012", "type": "GuildTextChat", "category": "help", "name": "distributed-help", "topic": None}, "dateRange": {"after": ts(t - 600, "%Y-%m-%dT%H:%M:%S+00:00"), "before": None}, "exportedAt": ts(t + 9000, "%Y-%m-%dT%H:%M:%S.MS+00:00"), "messages": ms, "messageCount": len(ms)}
    pack("tallinn-44", "tar.xz", {"ML Homelab - help - distributed-help [88120012].json": json.dumps(doc, indent=2)}, "collective.timeout", ["rig-3", "worker:2"], ["sync.hang", "network.unreachable-peer", "process.killed-by-signal"],
        "Victims' logs only: task:2 stopped sending heartbeats and the collectives were aborted; it was SIGSTOPped but rig-3 has no log here. Red herrings: chat guesses (CUDA, NaN, DNS).", t)
def lab():
    r = Run("lab_deadlock", "2026-05-20 14:31:05", tz=-7, paths=[("mwms_loop.py", "climnet.py"), ("/opt/incidents/make", "/global/homes/s/sarapov/climnet"), ("/opt/incidents/work", "/pscratch/sd/s/sarapov"), ("/opt/tfenv", "/global/common/software/m4102/tf221")])
    # only shift the script's own written times (local), keep labels as srun -l prints them
    K = [f"w{i}" for i in range(4)]; m = r.merged(K); t0 = r.when("w0", "start"); kill = [e["t"] for e in r.events(ev="kill", sig=15)][0]; usr = [e["t"] for e in r.events(ev="kill", sig=10)][0]
    out = ["Lmod: loading climnet/2026.05", f"job 771203 on cori[12-15] start {ts(t0 - 1, '%a %b %e %H:%M:%S PDT %Y', -7)}"]; done = False
    for t, k, s, x in m:
        if not done and t >= kill:
            done = True; out += ["srun: Job step aborted: Waiting up to 32 seconds for job step to finish.", f"slurmstepd: error: *** STEP 771203.0 ON cori12 CANCELLED AT {ts(kill, '%Y-%m-%dT%H:%M:%S', -7)} ***"]
        out.append(f"{k[1]}: {x}")
    out += ["srun: error: cori13: task 1: Killed", "srun: error: cori[12,14-15]: tasks 0,2-3: Killed", f"slurmstepd: error: *** JOB 771203 ON cori12 CANCELLED AT {ts(kill, '%Y-%m-%dT%H:%M:%S', -7)} ***"]
    T = lambda e: ts(e, "%Y-%m-%dT%H:%M:%S", -7)
    S = t0 - 4; E = kill + 3
    sac = "JobID|JobName|User|Partition|State|ExitCode|Start|End|Elapsed|NodeList|MaxRSS\n" + f"771188|climnet|sarapov|debug|COMPLETED|0:0|{T(S - 4000)}|{T(S - 3300)}|00:11:40|cori[12-15]|\n771203|climnet|sarapov|debug|CANCELLED by 0|0:0|{T(S)}|{T(E)}|00:00:{int(E - S):02d}|cori[12-15]|\n771203.batch|batch||| CANCELLED|0:15|{T(S)}|{T(E)}|00:00:{int(E - S):02d}|cori12|11200K\n771203.0|python3||| CANCELLED|0:9|{T(t0)}|{T(E)}|00:00:{int(E - t0):02d}|cori[12-15]|602144K\n".replace("||| CANC", "|||CANC")
    dsh = lambda h, x: f"----------------\n{h}\n----------------\n{x}"
    d = dsh("cori[12,14-15]", f"[{ts(t0 - 9100, '%a %b %e %H:%M:%S %Y', -7)}] Lustre: 4127:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply: [sent 1779303000/real 1779303000]  req@ffff9c2f x1799112/t0(0) o400->cscratch-OST0031-osc-ffff9c1e@10.100.200.31@o2ib:28/4 lens 224/224 e 0 to 1\n[{ts(t0 - 9088, '%a %b %e %H:%M:%S %Y', -7)}] Lustre: cscratch-OST0031-osc-ffff9c1e: Connection restored to 10.100.200.31@o2ib (at 10.100.200.31@o2ib)\n") + dsh("cori13", f"[{ts(t0 - 88000, '%a %b %e %H:%M:%S %Y', -7)}] Memory cgroup out of memory: Killed process 118231 (vasp_std) total-vm:201811880kB, anon-rss:129001220kB, file-rss:12kB, shmem-rss:0kB, UID:51022 pgtables:254400kB oom_score_adj:0\n")
    log = f"[{T(t0 - 5)}.120] sched: Allocate JobId=771203 NodeList=cori[12-15] #CPUs=256 Partition=debug\n[{T(kill)}.031] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=771203 uid 0\n[{T(E)}.400] _job_complete: JobId=771203 WTERMSIG 15\n"
    note = f"consult log, {ts(kill + 600, '%m/%d', -7)}\nUser: 'no output any more, please look'. GPU nodes not involved, CPU job. All ranks alive, 0 % CPU.\nSent SIGUSR1 to the python ranks at {ts(usr, '%H:%M:%S', -7)} (they register faulthandler) so that the stacks land in the job output, then scancel as root.\nNetwork team suspects OST0031 again (see pdsh output) -- to be confirmed.\n"
    pack("almaden-9", "tgz", {"771203/slurm-771203.out": "\n".join(out) + "\n", "771203/sacct_-P.txt": sac, "771203/pdsh_dmesg_dshbak.txt": d, "771203/slurmctld.log.excerpt": log, "771203/CONSULT": note}, "sync.hang", ["cori13", "worker:1", "rank 1"], [],
        "Rank 1's dump shows its main thread at climnet.py line 63 (waiting for a lock that stats_writer, sleeping at line 48, holds) while ranks 0, 2, 3 wait in a collective after step 33; its last line is 'stats writer: flushing histogram' . Cancelled by root afterwards. Red herrings: Lustre slow reply that was restored hours before, an OOM kill of vasp the day before.", E)
if __name__ == "__main__":
    import sys; [globals()[n]() for n in sys.argv[1:]]

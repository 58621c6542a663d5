"""collectors of haarlem, metz, novara, olten"""
from common import *
def haarlem():
    N = "haarlem"; ev, meta = load(N); t0 = meta["w0"]["t0"]; P = Pack(N, "haarlem.zip"); base = at("2026-07-09 16:40:01") - t0; res = []
    for i in range(3):
        dd = base + (0, .6, -.9)[i]
        for s in ("out", "err"):
            v = [[str(int((t + base) * 1e9)), shift(l, dd)] for t, st, l in ev[f"w{i}"] if st == s]
            if v: res.append({"stream": {"namespace": "tiles", "pod": f"tiles-mwms-{i}", "container": "trainer", "stream": "std" + s, "node_name": f"np-gpu-{7 + i}", "detected_level": "unknown"}, "values": v[::-1]})
    n = lambda x: str(int((t0 + base + x) * 1e9))
    res.append({"stream": {"job": "kernel", "node_name": "np-gpu-9"}, "values": [[n(-840), "oom_reaper: reaped process 310022 (prometheus), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB"], [n(-841), "Out of memory: Killed process 310022 (prometheus) total-vm:30211340kB, anon-rss:24401120kB, file-rss:0kB, shmem-rss:0kB, UID:65534 pgtables:51002kB oom_score_adj:999"]]})
    res.append({"stream": {"job": "kube-events", "namespace": "tiles"}, "values": [[n(60), '{"reason":"BackOff","type":"Warning","object":"pod/tiles-mwms-0","message":"Back-off restarting failed container trainer in pod tiles-mwms-0"}'], [n(-33), '{"reason":"FailedMount","type":"Warning","object":"pod/tiles-mwms-0","message":"MountVolume.SetUp failed for volume \\"data\\" : mount failed: exit status 32, mount.nfs: Connection timed out"}'], [n(-12), '{"reason":"Started","type":"Normal","object":"pod/tiles-mwms-0","message":"Started container trainer"}']]})
    P.w("loki-20260709.json", json.dumps({"status": "success", "data": {"resultType": "streams", "result": res, "stats": {"summary": {"bytesProcessedPerSecond": 4411209, "totalLinesProcessed": sum(len(r["values"]) for r in res), "execTime": 0.041}}}}, indent=0))
    P.done("resource.fd-limit", ["tiles-mwms-1", "worker:1"], ["user.code-error"], "tiles-mwms-1: OSError [Errno 24] Too many open files (its soft limit is low and the input helper keeps files open); 0 and 2 only see their peer go. The prometheus OOM on another node and the retried NFS mount before the start are red herrings.")
def metz():
    N = "metz"; ev, meta = load(N); t0 = meta["w0"]["t0"]; P = Pack(N, "metz.tar.gz"); base = at("2026-11-02 01:15:22") - t0; hosts = ["brn-tr-1", "brn-tr-2", "brn-tr-3"]
    for i, h in enumerate(hosts):
        dd = base + (0, -.7, 9.4)[i]
        for s in ("out", "err"):
            v = [shift(l, dd) for t, st, l in ev[f"w{i}"] if st == s]
            if v or s == "out": P.w(f"job_77120/task{i}.{s}", v)
    e2 = meta["w2"]["end"] + base; f = lambda t: iso(t, 3, "").replace("Z", "")
    P.w("slurmctld-excerpt.log", [f"[{f(t)}] {m}" for t, m in ((t0 + base - 3100, "error: Nodes brn-tr-1 not responding"), (t0 + base - 3040, "Node brn-tr-1 now responding"), (t0 + base - 44, "_slurm_rpc_submit_batch_job: JobId=77119 InitPrio=4294901690 usec=611"), (t0 + base - 41, "_job_complete: JobId=77119 WTERMSIG 9"), (t0 + base - 41, "_job_complete: JobId=77119 done"),
        (t0 + base - 6, "_slurm_rpc_submit_batch_job: JobId=77120 InitPrio=4294901689 usec=587"), (t0 + base - 2, "sched: Allocate JobId=77120 NodeList=brn-tr-[1-3] #CPUs=96 Partition=train"), (e2 + .3, "_job_complete: JobId=77120 WEXITSTATUS 1"), (e2 + 7, "_job_complete: JobId=77120 done"))])
    P.w("job_77120/wrapper.txt", ["task 0 (brn-tr-1): exit 1", "task 1 (brn-tr-2): exit 1", "task 2 (brn-tr-3): exit 1"])
    P.w("job_77120/env-diff.txt", ["$ diff <(ssh brn-tr-1 cat /etc/environment) <(ssh brn-tr-3 cat /etc/environment)", "3c3", "< REQUESTS_CA_BUNDLE=/srv/tls/both.pem", "---", "> REQUESTS_CA_BUNDLE=/srv/tls/old.pem", "$ # puppet is off on brn-tr-3 since the summer"])
    P.done("network.tls", ["brn-tr-3", "worker:2", "task 2"], [], "Task 2 on brn-tr-3: requests SSLError CERTIFICATE_VERIFY_FAILED against the feature store after four tries at step 90 (the store renewed its certificate in the middle of the job, this node trusts only the old one). 'Nodes brn-tr-1 not responding' was an hour before and JobId 77119 is another job; tasks 0 and 1 only see Socket closed.")
def novara():
    N = "novara"; ev, meta = load(N); t0 = meta["w0"]["t0"]; P = Pack(N, "novara.tgz"); base = at("2026-03-12 23:02:33") - t0; rows = []; hosts = [f"drive-sim-{k}" for k in range(11, 15)]
    for i, h in enumerate(hosts):
        dd = base + (0, 2.4, -6.1, .3)[i]
        rows += [(t, f"{h}: {t + dd:.2f} {shift(l, dd)}") for t, s, l in ev[f"w{i}"]]
    P.w("pdsh.all", [l for _, l in sorted(rows, key=lambda r: r[0])])
    top = open(f"{OUT}/raw/{N}/top.txt").read().splitlines()
    P.w("what-i-did", ["nothing is printed any more for a while, step 66 was the last. sent USR1 to all four (they print stacks), then killed all with -9.", "", "top, one line per host in order 11..14:", *top, "", "drive-sim-14 also has somebody's blender running, 3 cores; he says it is niced.", "11 printed a lot of W0000 dataset.cc warnings in the beginning, could that be it?", "", "dmesg of 13, last line:", "[Thu Mar 12 04:10:51 2026] EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#1_Chan#0_DIMM#0 (channel:0 slot:0 page:0x1f2a11 offset:0x40 grain:32 syndrome:0x0 -  err_code:0x0101:0x0090)"])
    P.done("sync.hang", ["drive-sim-12", "worker:1"], ["user.code-error"], "No error anywhere; the stacks show task 1 (drive-sim-12) blocked in refresh() inside normalise() on a lock that it already holds (input pipeline), the main thread in iterator_get_next, while the other three wait in the train step's all-reduce. SIGKILL at the end was the operator. Blender, the corrected EDAC error and the dataset warnings are red herrings.")
def olten():
    N = "olten"; ev, meta = load(N); t0 = meta["w0"]["t0"]; P = Pack(N, "olten.tar.xz"); TZ = "Europe/Zurich"; base = at("2026-12-09 19:30:44", TZ) - t0
    put = {"zrh-a-07": 0, "zrh-a-08": 0.5, "zrh-b-02": -95.0}
    for i, (h, dd) in enumerate(put.items()):
        L = [shift(l, base + dd) for t, s, l in ev[f"w{i}"]]
        if i < 2: P.w(f"rack-a/{h}/seg.stderr", L)
        else: P.gz(f"rack-b/{h}.seg.log.gz", L)
    probe = open(f"{OUT}/raw/{N}/probe.txt").read(); probe = probe[probe.index("rc=124"):]
    cut = float(open(f"{OUT}/raw/{N}/cut").read()) + base
    P.w("rack-a/zrh-a-07/probe.txt", "$ date; timeout 6 bash -c '</dev/tcp/zrh-b-02/15000'; echo rc=$?; ip -s link show eth0; ss -tno | head -12\n" + loc(cut + 12, TZ, "%a %b %e %H:%M:%S CET %Y") + "\n" + probe.replace(" link-netns nhub", "").replace("eth0@if100", "eth0"))
    P.w("rack-a/zrh-a-08/kern.log", [f"Dec  7 06:25:13 zrh-a-08 kernel: [70111.{k}04212] {m}" for k, m in enumerate(("bnxt_en 0000:01:00.0 eno1np0: NIC Link is Down", "bnxt_en 0000:01:00.0 eno1np0: NIC Link is Up, 25000 Mbps (NRZ) full duplex, Flow control: none"))])
    P.w("rack-b/uptime", [" 19:41:02 up 112 days,  3:11,  2 users,  load average: 0.03, 0.31, 0.52", "the python on zrh-b-02 was alive all the time until it stopped by itself with the error; from the other rack b machines I can reach 15000, ops changed ACLs on the rack switch this evening"])
    P.done("network.timeout", ["zrh-b-02", "worker:2"], ["network.unreachable-peer"], "Between rack a and zrh-b-02 packets are dropped silently from step ~60 on: 'Deadline Exceeded RPC: CoordinationService/Heartbeat' on zrh-b-02, 'stopped sending heartbeats' on the others, connect probe rc=124, TCP retransmission timers. 'The tasks have crashed' is wrong: both sides lived. The NIC flap on zrh-a-08 is two days old; zrh-b-02's clock is 95 s behind.")
for f in sys.argv[1:] or ["haarlem", "metz", "novara", "olten"]: globals()[f]()

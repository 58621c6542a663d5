"""Teams 4 (HTCondor, CRLF) and 6 (multilog TAI64N, Shift_JIS, one file)."""
from a_pack import tar
from bc_pack import z
from lab import *
RD = [(f"{BASE}/make/d_inspect.py", "D:/aoi/inspect.py".replace("D:", "/srv")), ("/opt/tfenv", "/opt/py/tf221"), (f"{BASE}/tf215", "/opt/py/tf215"), ("/opt/python/3.11.7", "/usr"), ("/opt/incidents/make", "/srv/aoi")]
RF = [(f"{BASE}/tf215", "/usr/local/senro/venv"), (f"{BASE}/make/f_tf1.py", "/usr/local/senro/bin/senro.py"), ("/opt/python/3.11.7", "/usr/local"), ("/opt/incidents/make", "/usr/local/senro/bin")]
def sh8(r, d): # %Y/%m/%d %H:%M:%S of the program's own log
    def g(m): return time.strftime("%Y/%m/%d %H:%M:%S", time.gmtime(time.mktime(time.strptime(m[0], "%Y/%m/%d %H:%M:%S")) + d))
    return [(t, s, re.sub(r"2026/\d\d/\d\d \d\d:\d\d:\d\d", g, l)) for t, s, l in r["lines"]]
def ulog(c, rs, sig={}):
    o = []
    for i, r in enumerate(rs):
        tm = lambda t: time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(t)); rc = r["rc"]
        o.append((r["t0"], f"001 ({c}.{i:03d}.000) {tm(r['t0'])} Job executing on host: <{r['host']}:9614?addrs={r['host']}-9614>\n...\n"))
        o.append((r["t1"], f"005 ({c}.{i:03d}.000) {tm(r['t1'])} Job terminated.\n\t" + (f"(1) Normal termination (return value {rc})" if rc >= 0 else f"(0) Abnormal termination (signal {-rc})\n\t(0) No core file") + "\n\t\tUsr 0 00:00:06, Sys 0 00:00:01  -  Run Remote Usage\n...\n"))
    return "".join(x for _, x in sorted(o))
def d(name, inc, keys, c, dd, memo, extra):
    rs = [raw(inc, k, dd, RD) for k in keys]; fs = {f"{c}.log": ulog(c, rs)}
    for i, r in enumerate(rs): fs[f"{c}.{i}.err" if i < 3 else f"svc/{r['key']}.err"] = "\n".join(l for _, s, l in sh8(r, dd)) + "\n"
    fs["交接.txt"] = memo; fs.update(extra(rs) if extra else {})
    return {k: (v if isinstance(v, bytes) else v.replace("\n", "\r\n")) for k, v in fs.items()}
def d1():
    def x(rs): return {"EDGE2_dmesg.txt": "[ 3301.118822] Out of memory: Killed process 2207 (aoi_viewer) total-vm:7112040kB, anon-rss:5920112kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:12220kB oom_score_adj:0\n" + open(f"{BASE}/work/d1ill/dmesg").read()}
    z("miaoli", d("miaoli", "d1ill", ["n0", "n1", "n2"], 4471, -50000.0, "夜班交接:4471 三台都停。AOI03/07 顯示 Connection refused 到 EDGE2。小陳說是 9618 port 跟 condor collector 衝突。EDGE2 昨天換了新的 libedge.so(在舊 AMD 機上編譯)。\n", x))
    truth("miaoli", "miaoli.zip", "env.illegal-instruction", ["FAB12B-EDGE2", "worker:2"], [], "EDGE2's process died of signal 4; its dmesg has 'trap invalid opcode ... in libedge.so' (built with FMA4 on an AMD machine); the others get connection refused. Herrings: old OOM of aoi_viewer, the port remark.")
def d2():
    tar("zhubei", d("zhubei", "d2type", ["n0", "n1", "n2"], 4490, -3000.0, "4490 早上失敗。AOI07 相機韌體昨天更新(12-bit)。阿明覺得是網路,因為 AOI03 先報錯 unhealthy/refused。EDGE2 的溫度警報已排除。\n", None), "tgz")
    truth("zhubei", "zhubei.tgz", "data.dtype", ["FAB12A-AOI07", "worker:1"], ["user.code-error"], "From lot 91 on AOI07 delivers uint16 images instead of float32 and MatMul refuses; the two others lose the peer. Herrings: network remark, temperature alarm.")
def d3():
    tar("toufen", d("toufen", "d3skew", ["n0", "n1", "n2", "disp", "dw0", "dw1"], 4502, 7200.0, "4502:訓練端升級到新環境後第一次跑。data service 還是原來那組。EDGE2 的磁碟 92%,要清。\n", None))
    truth("toufen", "toufen.tar.gz", "none", None, [], "All three trainers (TF 2.21) say finished and return 0, though dispatcher and data workers run 2.15.1 and complain of an unknown attribute (NodeDef mentions attribute force_synchronous); the services were ended by SIGTERM afterwards. Herrings: that line, the version difference, signal 15, the disk remark.")
def tai(t): return "@%016x%08x" % (2 ** 62 + 10 + int(t), int(t % 1 * 1e9))
def hm(l, d): return re.sub(r"^(\d\d):(\d\d):(\d\d) ", lambda m: time.strftime("%H:%M:%S ", time.gmtime((int(m[1]) * 3600 + int(m[2]) * 60 + int(m[3]) + d) % 86400)), l)
def one(inc, keys, dd, head, tail=""):
    o = head
    for k in keys:
        r = raw(inc, k, dd, RF); o += f"\n######## {r['host']}:/service/senro-{k}/log/main/current ########\n" + "".join(f"{tai(t)} {hm(l, dd)}\n" for t, s, l in r["lines"])
    return (o + tail).encode("shift_jis", "replace")
def qa(job, st, a, b, fail, code): return f"\n######## qacct -j {job} ########\nqname        yakan.q\nhostname     hozen41\nowner        senro\njobname      {st}\njobnumber    {job}\nqsub_time    {time.ctime(a - 90)}\nstart_time   {time.ctime(a)}\nend_time     {time.ctime(b)}\nfailed       {fail}\nexit_status  {code}\nmaxvmem      1.211G\n"
W = ["ps0", "worker0", "worker1", "worker2"]
def f1():
    dd = -30000.0; a = raw("f1uneven", "ps0", dd); tk = json.load(open(f"{BASE}/work/f1uneven/times.json"))[0] + dd
    tar("sakai", {"yakan.txt": one("f1uneven", W, dd, "【夜間バッチ報告】 線路 4 号 学習停止、qdel で終了。GPU ではない。hozen44 の NTP ずれ警告は既知。山田:ps のメモリ不足では?\n", qa(70211, "senro4", a["t0"], tk, "100 : assumedly after job", "143                  (Terminated)"))})
    truth("sakai", "sakai.tar.gz", "data.uneven-shards", ["worker:2", "hozen47", "worker2"], ["sync.hang"], "worker2 has 2656 rows instead of 4800 and ends normally ('owari local=...'); SyncReplicasOptimizer wants three gradients, so worker0 and worker1 wait at that step until qdel. Herrings: NTP remark, suspected memory of the ps, SIGTERM at the end.")
def f2():
    dd = 9100.0; a = raw("f2deep", "t2-ps0", dd); tk = json.load(open(f"{BASE}/work/f2deep/times.json"))[0] + dd; k = open(f"{BASE}/work/f2deep/dmesg").read()
    tar("ibaraki", {"memo+log.txt": one("f2deep", ["t1-" + w for w in W] + ["t2-" + w for w in W], dd, "一回目は設定ミスで自分が qdel。二回目は止まったまま、20 秒ほど待って qdel。鈴木:ネットワークスイッチ工事の影響か?\n", "\n######## hozen44 dmesg | tail -1 ########\n" + k + qa(70318, "senro-ki", a["t0"], tk, "100 : assumedly after job", "143                  (Terminated)"))}, "tar.xz")
    truth("ibaraki", "ibaraki.tar.xz", "process.stack-overflow", ["worker:1", "hozen44"], ["process.segfault", "user.code-error"], "Second attempt: worker1 recurses in walk() over a 900000 deep segment tree with the recursion limit lifted and dies of SIGSEGV (frames of walk repeated); the others wait until qdel. Herrings: first attempt ended by the user, switch works.")
def f3():
    dd = 600.0; a = raw("f3thr", "ng-ps0", dd); tk = json.load(open(f"{BASE}/work/f3thr/times.json"))[0] + dd
    z("suita", {"senro_all.log": one("f3thr", ["ok-" + w for w in W] + ["ng-" + w for w in W], dd, "二つのジョブ(ok=5300番、ng=5400番)を同時に実行。ng だけ失敗。中村:port が重なった?\n", qa(70401, "senro-ok", a["t0"] - 1, tk, "0", "0") + qa(70402, "senro-ng", a["t0"], tk, "100 : assumedly after job", "143                  (Terminated)"))})
    truth("suita", "suita.zip", "resource.thread-limit", ["worker:1", "hozen44"], ["process.abort-check"], "In job ng worker1 on hozen44 cannot create threads (pthread_create / Resource temporarily unavailable, pids limit) and dies; the other job finished. Herring: the port remark.")
if __name__ == "__main__":
    for n in sys.argv[1:]: globals()[n]()

"""Osaka (Grid Engine, csh): incidents osaka-5, osaka-6, osaka-8.   usage: t6.py 1|2|3"""
from common import *
import json
FIX = {"/opt/tfenv/lib": "/home/monta/py311/lib", "/opt/tfenv": "/home/monta/py311", os.path.join(OUT, "boto"): "/home/monta/py311/site-extra"}
def clean(p, d, off=0):
    def f(m):
        t = datetime.datetime.strptime(m[0], "%y/%m/%d %H:%M:%S") + datetime.timedelta(seconds=off + 32400); return t.strftime("%y/%m/%d %H:%M:%S")
    return rename(shift(re.sub(r"(?m)^2\d/\d\d/\d\d \d\d:\d\d:\d\d", f, p.text()), off), {**FIX, d: "/home/monta/job"})
def tcf(c, t, i): return json.dumps({"cluster": c, "task": {"type": t, "index": i}})
def qacct(jid, name, owner, host, p, failed="0", task="undefined"):
    rc = p.rc if p.rc >= 0 else 128 - p.rc
    return f"==============================================================\nqname        all.q\nhostname     {host}\ngroup        hozen\nowner        {owner}\nproject      NONE\njobname      {name}\njobnumber    {jid}\ntaskid       {task}\nqsub_time    {ts(p.t0+32397,'%a %b %d %H:%M:%S %Y')}\nstart_time   {ts(p.t0+32400,'%a %b %d %H:%M:%S %Y')}\nend_time     {ts(p.t1+32400,'%a %b %d %H:%M:%S %Y')}\ngranted_pe   mpi1\nslots        1\nfailed       {failed}\nexit_status  {rc}\nru_wallclock {int(p.t1-p.t0)}s\nmaxvmem      1.412G\n"

def one():
    H = {"okujo-srv": "10.8.51.1", "kai3-a": "10.8.51.31", "kai3-b": "10.8.51.32", "kai1-c": "10.8.51.13"}; d = fresh("osaka5"); shutil.copy(f"{HERE}/monta.py", d)
    # the native decoder frees a channel twice once there are eight of them (only kai3-b has such a controller)
    put(d, "hakei.c", "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\nint fukugo(int ch){ char h[64]; gethostname(h,63); char*p[32]; for(int i=0;i<ch;i++){p[i]=malloc(48); memset(p[i],i,48);} int bad=(ch>=8&&!strcmp(h,\"kai3-b\")); for(int i=0;i<ch;i++) free(p[i]); if(bad){ free(p[ch-1]); } return ch; }\n")
    print(sh(f"gcc -O0 -w -shared -fPIC -o {d}/libhakei.so {d}/hakei.c")); net = Net(H)
    C = {"ps": ["okujo-srv:7000"], "worker": ["kai3-a:7000", "kai3-b:7000", "kai1-c:7000"]}
    try:
        ps = [Proc(h, [TF221, f"{d}/monta.py"], host=h, net=net, env={"MONTA": "tf1", "TF_CONFIG": tcf(C, "ps" if i == 0 else "worker", max(0, i - 1))}) for i, h in enumerate(H)]
        ps[2].wait(70); time.sleep(4); [p.kill(signal.SIGTERM) for p in ps]; finish(ps, 6)
    finally: net.close()
    for p in ps: print(p.name, p.rc, len(p.lines))
    t = f"{d}/b"; off = [0, 4, -11, 0]
    for i, p in enumerate(ps): put(t, f"home/monta/job/door.o4471.{i+1}", clean(p, d, off[i]) + (f"/opt/sge/default/spool/kai3-b/job_scripts/4471: line 9: {p.pid} Aborted                 (core dumped) python monta.py\n" if p.rc == -6 else ""))
    put(t, "home/monta/job/door.po4471", "-catch_rsh /opt/sge/default/spool/okujo-srv/active_jobs/4471.1/pe_hostfile\nokujo-srv\nkai3-a\nkai3-b\nkai1-c\n")
    put(t, "home/monta/job/qacct-4471.txt", "".join(qacct(4471, "door", "monta", p.name, p, "0" if i == 2 else "100 : assumedly after job", str(i + 1)) for i, p in enumerate(ps)))
    put(t, "home/monta/job/kiroku.txt", "4471 夜間バッチ。kai3-b だけ途中で消えた。残りは qdel した。\nkai1-c の温度警報 (78度) が昨日出ていたので空調かも。山本\n", "euc_jp")
    put(t, "var/messages.kai1-c", "Nov 26 15:20:11 kai1-c kernel: CPU3: Core temperature above threshold, cpu clock throttled (total events = 12)\nNov 26 15:20:12 kai1-c kernel: CPU3: Core temperature/speed normal\n")
    pack("osaka-5", "tar.gz", t, dict(cause="process.abort-check", culprit_node=["kai3-b", "worker:1"], also_acceptable=[],
        notes="worker 1 on kai3-b: glibc heap check 'double free or corruption (fasttop)' in the native waveform decoder, aborted; the async rest ran on until qdel. Red herring: yesterday's thermal throttling on kai1-c."))

def two():
    H = {"kai2-d1": "10.8.52.1", "kai2-d2": "10.8.52.2", "kai2-d3": "10.8.52.3"}; d = fresh("osaka6"); shutil.copy(f"{HERE}/monta.py", d); net = Net(H); hs = list(H)
    try:
        g = [Proc(h, [TF221, f"{d}/monta.py"], host=h, net=net, env={"TF_CONFIG": tcf({"worker": ["kai2-d1:6100", "kai2-d2:6100"]}, "worker", i), "EP": "4"}) for i, h in enumerate(hs[:2])]
        g[0].wait(60); finish(g, 10)
        cfgs = [["kai2-d1:6200", "kai2-d2:6200"], ["kai2-d1:6200", "kai2-d2:6200"], ["kai2-d1:6200", "kai2-d3:6200", "kai2-d2:6200"]]
        cf = [tcf({"worker": cfgs[0]}, "worker", 0), tcf({"worker": cfgs[2]}, "worker", 2), tcf({"worker": cfgs[2]}, "worker", 1)]
        b = [Proc(h, [TF221, f"{d}/monta.py"], host=h, net=net, env={"TF_CONFIG": cf[i]}) for i, h in enumerate(hs)]
        b[0].wait(45); rest = [p for p in b if p.th.is_alive()]; [p.kill(signal.SIGTERM) for p in rest]; finish(b, 6)
    finally: net.close()
    for p in g + b: print(p.name, p.rc, len(p.lines))
    t = f"{d}/b"; off = {"kai2-d1": 0, "kai2-d2": 18, "kai2-d3": -240}; s = ""
    for jid, ps in ((4480, g), (4481, b)):
        for p in ps: s += "".join(f"{p.name}: {jid}: {l}\n" for l in clean(p, d, off[p.name]).split("\n")[:-1])
    put(t, "pdsh_cat_o4480_o4481.out", s)
    put(t, "env-4481.csh", "# 各ホストの job_scripts/4481 から抜粋 (grep TF_CONFIG)\n" + "".join(f"kai2-d{i+1}: setenv TF_CONFIG '{c}'\n" for i, c in enumerate(cf)))
    put(t, "qacct.txt", "".join(qacct(4480, "mamou_kako", "nishida", p.name, p) for p in g) + "".join(qacct(4481, "mamou_shin", "ueda", p.name, p, "100 : assumedly after job" if p in rest else "0") for p in b))
    put(t, "yomu.txt", "4480 は西田さん (正常終了)、4481 は上田さん。d3 を追加したと聞いた。\n西田: 4480 が d1 を占有しているせいでは? -> 4480 はもう終わっている\n4481 はすぐ落ちた。d2 と d3 のメモリ不足か？\n", "euc_jp")
    pack("osaka-6", "tgz", t, dict(cause="config.cluster-mismatch", culprit_node=["kai2-d1", "worker:0"], also_acceptable=["config.task-index"],
        notes="Job 4481: kai2-d1 still has the old TF_CONFIG with two workers, kai2-d2/d3 have three (other order): group size 3 against 2, 'Unexpected task registered': the tasks disagree on the cluster. Job 4480 of another user ended well."))

def three():
    H = {"kai4-e1": "10.8.53.1", "kai4-e2": "10.8.53.2", "soko-s3": "10.8.53.80"}; d = fresh("osaka8"); shutil.copy(f"{HERE}/monta.py", d); net = Net(H)
    put(d, "soko.py", '''import http.server, numpy as np, sys
T = {"n": 0}
X = b'<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>%s</Message><Resource>/hakei</Resource><RequestId>17A6%06X</RequestId></Error>'
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(s):
        T["n"] += 1; key = s.path.lstrip("/").split("?")[0]; ep = int(key.split("/")[1]); c = 200; body = np.random.randn(16, 20).astype("f4").tobytes()
        if ep == 1 and T["n"] % 3 == 0: c, body = 503, X % (b"SlowDown", b"Please reduce your request rate.", T["n"])
        if ep >= 3: c, body = 503, X % (b"XMinioServerNotInitialized", b"Server not initialized yet, please try again.", T["n"])
        s.send_response(c); s.send_header("Content-Length", str(len(body))); s.send_header("Content-Type", "application/xml" if c > 200 else "application/octet-stream"); s.end_headers(); s.wfile.write(body)
http.server.ThreadingHTTPServer(("", 9000), H).serve_forever()
'''); 
    try:
        s3 = Proc("soko-s3", [TF221, f"{d}/soko.py"], host="soko-s3", net=net); time.sleep(1.5)
        C = {"worker": ["kai4-e1:6300", "kai4-e2:6300"]}
        ps = [Proc(h, [TF221, f"{d}/monta.py"], host=h, net=net, env={"TF_CONFIG": tcf(C, "worker", i), "MONTA_S3": "http://soko-s3:9000", "PYTHONPATH": os.path.join(OUT, "boto")}) for i, h in enumerate(list(H)[:2])]
        ps[0].wait(80); finish(ps, 40); s3.kill()
    finally: net.close()
    for p in ps: print(p.name, p.rc, len(p.lines))
    t = f"{d}/b"; off = [0, 26]
    for i, p in enumerate(ps): put(t, f"kai4-hako/{p.name}.screenlog.0", f"monta@{p.name}% source kido.csh\r\n" + clean(p, d, off[i]).replace("\n", "\r\n") + f"monta@{p.name}% echo $status\r\n{p.rc if p.rc >= 0 else 128-p.rc}\r\n")
    put(t, "kai4-hako/soko-s3/access.log", "".join(shift(l.decode(), 0) for tt, l in s3.lines))
    put(t, "kai4-hako/memo.euc", "soko-s3 は別部署の倉庫。夕方に増設作業と言っていた (何時かは不明)。\n上田: e2 の NIC が 100M に落ちている。これだと思う。\n", "euc_jp")
    put(t, "kai4-hako/ethtool-e2.txt", "Settings for eno1:\n\tSpeed: 100Mb/s\n\tDuplex: Full\n\tAuto-negotiation: on\n\tLink detected: yes\n")
    pack("osaka-8", "zip", t, dict(cause="storage.network-fs", culprit_node=["soko-s3"], also_acceptable=[],
        notes="The S3-compatible store soko-s3 answers 503 (XMinioServerNotInitialized) to every GetObject from epoch 3 on until boto3's retries run out; earlier SlowDown answers were survived. Red herring: e2's link at 100 Mb/s."))
if __name__ == "__main__": {"1": one, "2": two, "3": three}[sys.argv[1]]()

"""Kotka (systemd, rsyslog, Ansible): incidents kotka-1, kotka-2.   usage: t1.py 1|2"""
from common import *
import json
HOSTS = {"pk3-kamera1": "10.31.3.11", "pk3-kamera2": "10.31.3.12", "pk3-rullain": "10.31.3.20"}

def cluster(): return [f"{h}:4711" for h in HOSTS]
def start(d, net, mode, env):
    ps = []
    for i, h in enumerate(HOSTS):
        hd = f"{d}/{h}"; os.makedirs(hd, exist_ok=True); shutil.copy(f"{HERE}/rata.py", hd)
        e = {"TF_CONFIG": json.dumps({"cluster": {"worker": cluster()}, "task": {"type": "worker", "index": i}}), "MODE": mode, **env}
        ps.append(Proc(h, [TF221, f"{hd}/rata.py"], host=h, net=net, env=e, pre=env.get("PRE", "")))
    return ps
def fixes(d): return {**{f"{d}/{h}/": "/srv/rata/" for h in HOSTS}, "/opt/tfenv/lib": "/opt/rata-venv/lib", "/opt/tfenv": "/opt/rata-venv"}

def one():
    d = fresh("kotka1")
    src = "#include <immintrin.h>\nvoid kryppy(const float*a,float*o,int n){\n#ifdef UUSI\n __m512h h=_mm512_set1_ph((_Float16)a[0]); h=_mm512_mul_ph(h,h); _Float16 t[32]; _mm512_storeu_ph(t,h); for(int i=0;i<n;i++)o[i]=a[i]*(float)t[i%32];\n#else\n for(int i=0;i<n;i++)o[i]=a[i]*0.5f;\n#endif\n}\n"
    put(d, "kryppy.c", src)
    for h in HOSTS:
        os.makedirs(f"{d}/{h}")
        # the build for the new CPUs was rolled out everywhere; only the winder's old box cannot run it.
        # (this machine cannot run it either, so the hosts with "new" CPUs get the plain build)
        flag = "-DUUSI -mavx512fp16 -mavx512vl" if h == "pk3-rullain" else ""
        print(sh(f"gcc -O2 {flag} -shared -fPIC -o {d}/{h}/libtekstuuri.so {d}/kryppy.c"))
    net = Net(HOSTS)
    try:
        ps = start(d, net, "", {"PYTHONFAULTHANDLER": "1"})
        ps[2].wait(120); finish(ps, 60)
    finally: net.close()
    for p in ps: print(p.name, p.rc, len(p.lines))
    km = sh("dmesg | grep 'invalid opcode.*libtekstuuri' | tail -1"); print(km)
    off = {"pk3-kamera1": 0, "pk3-kamera2": 3, "pk3-rullain": -47}
    rows = []
    for p in ps:
        o = off[p.name]
        def add(t, tag, msg, o=o, h=p.name): rows.append((t, f"{ts(t + o + 7200, '%b %d %H:%M:%S')} {h} {tag}: {msg}"))
        add(p.t0 - 0.2, "systemd[1]", "Starting rata-opetus.service - PK3 ratavirheiden opetus...")
        add(p.t0, "systemd[1]", "Started rata-opetus.service - PK3 ratavirheiden opetus.")
        for t, l in p.lines:
            add(t, f"rata-opetus[{p.pid}]", rename(shift(l.decode('utf-8', 'replace').rstrip('\n'), o), fixes(d)))
        if p.rc and p.rc < 0 and -p.rc == 4:
            m = re.search(r"(traps: .*)", km)
            if m: add(p.t1 - 0.01, "kernel", f"[8123441.{'882716'}] " + m[1])
            add(p.t1, "systemd[1]", "rata-opetus.service: Main process exited, code=killed, status=4/ILL")
            add(p.t1, "systemd[1]", "rata-opetus.service: Failed with result 'signal'.")
        else:
            add(p.t1, "systemd[1]", f"rata-opetus.service: Main process exited, code=exited, status={p.rc}/FAILURE" if p.rc > 0 else f"rata-opetus.service: Main process exited, code=killed, status={-p.rc}/ABRT")
            add(p.t1, "systemd[1]", "rata-opetus.service: Failed with result 'exit-code'." if p.rc > 0 else "rata-opetus.service: Failed with result 'signal'.")
    b = ps[0].t0
    for dt, h, m in [(-1490, "pk3-kamera2", "kernel: [2210034.118821] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/system.slice/kuvapuskuri.service,task=kuvapuskuri,pid=1188,uid=994"),
                     (-1490, "pk3-kamera2", "kernel: [2210034.118903] Out of memory: Killed process 1188 (kuvapuskuri) total-vm:18874368kB, anon-rss:15233412kB, file-rss:0kB, shmem-rss:0kB, UID:994 pgtables:30120kB oom_score_adj:0"),
                     (-1488, "pk3-kamera2", "systemd[1]: kuvapuskuri.service: Scheduled restart job, restart counter is at 4."),
                     (-600, "pk3-kamera1", "CRON[30211]: (root) CMD (/usr/local/sbin/siivoa-kuvat --yli 14d)"),
                     (-180, "pk3-rullain", "dpkg[811]: status installed libtekstuuri:amd64 2.3-1~pk3"),
                     (-178, "pk3-kamera1", "dpkg[30255]: status installed libtekstuuri:amd64 2.3-1~pk3"),
                     (4, "pk3-rullain", "chronyd[402]: Source 10.31.0.1 offline"), (20, "pk3-kamera1", "sshd[30300]: Connection closed by 10.31.9.4 port 51122 [preauth]")]:
        rows.append((b + dt, f"{ts(b + dt + off[h] + 7200, '%b %d %H:%M:%S')} {h} {m}"))
    rows.sort(key=lambda r: r[0])
    t = f"{d}/b"
    put(t, "loki02/var/log/etaiset/pk3.log", "\n".join(r[1] for r in rows) + "\n")
    put(t, "loki02/LUE.txt", "Vuoron 3 keräys. rsyslogin yhteisloki koneelta loki02, vain PK3:n koneet.\nHeikki epäilee kamera2:n muistia (ks. OOM aamulla) - kuvapuskuri kaatuilee taas. En ole varma.\nHuom. rullaimen kello jätättää vajaan minuutin, chrony ei saa yhteyttä.\n")
    pack("kotka-1", "tar.xz", t, dict(cause="env.illegal-instruction", culprit_node=["pk3-rullain", "worker:2"], also_acceptable=[],
        notes="pk3-rullain's process dies with SIGILL (Fatal Python error: Illegal instruction in kryppysuodin, systemd status=4/ILL) in the native filter of a newly installed libtekstuuri; the others only see the lost peer. Red herrings: OOM kill of kuvapuskuri on kamera2 (another service, 25 min earlier) and Heikki's remark."))

def two():
    d = fresh("kotka2"); net = Net(HOSTS)
    for h in HOSTS: put(d, f"{h}/taso.txt", "1.013\n")
    try:
        ps = start(d, net, "lukko", {})
        ps[1].wait_for("askel 030", 90)
        # the camera's calibration tool takes the lock and never gives it back (waits at its prompt)
        holder = subprocess.Popen(["unshare", "-m", "nice", "-n", "10", "python3", "-c", f"import fcntl,time\nf=open('{d}/pk3-kamera2/kalibrointi.lock','w');fcntl.flock(f,2);time.sleep(600)"])
        ps[1].wait_for("zzzz", 35)
        dumps = {}
        for p in ps:
            pid = p.pid; dumps[p.name] = sh(f"ps -o pid,stat,etimes,time,wchan:24,nlwp,cmd -p {pid}") + sh(f"grep -E 'State|Threads|VmRSS' /proc/{pid}/status; cat /proc/{pid}/wchan; echo; for t in /proc/{pid}/task/*; do cat $t/wchan; echo; done | sort | uniq -c | sort -rn | head -4")
        locks = sh("cat /proc/locks | grep FLOCK"); fus = f"{holder.pid} pts/2 kamera   S    0:00 /usr/bin/python3 /opt/kalibrointi/tasokuva.py --kamera 2 --odota-kuittaus\n"
        for p in ps: os.kill(p.pid, signal.SIGUSR1)
        time.sleep(4); tk = time.time()
        for p in ps: p.kill(signal.SIGTERM)
        finish(ps, 10); holder.kill()
    finally: net.close()
    for p in ps: print(p.name, p.rc, len(p.lines))
    off = {"pk3-kamera1": 0, "pk3-kamera2": 95, "pk3-rullain": -12}; t = f"{d}/b"
    for p in ps:
        put(t, f"haettu/{p.name}/var/log/rata/opetus.log", rename(shift(p.text(), off[p.name]), fixes(d)))
    put(t, "haettu/pk3-kamera2/var/log/rata/opetus.log.1", "2026-11-26 03:12:44,118 INFO rata: rata-opetus 4.1, tf 2.21.0, tehtävä 1/3\n2026-11-26 03:12:49,730 ERROR rata: /srv/rata/taso.txt: [Errno 28] No space left on device\nTraceback (most recent call last):\n  File \"/srv/rata/rata.py\", line 18, in kalibrointi\n    return float(open(os.path.join(HERE, \"taso.txt\")).read())\nOSError: [Errno 28] No space left on device\n2026-11-26 03:12:49,733 INFO rata: lopetan, yritä uudelleen kun /srv on siivottu\n")
    a = "$ ansible pk3 -i inventaario -m shell -a 'ps ...; wchan'   # ennen pysäytystä\n"
    for p in ps: a += f"{p.name} | CHANGED | rc=0 >>\n" + rename(dumps[p.name], fixes(d)) + "\n"
    a += "$ ansible pk3-kamera2 -m shell -a 'cat /proc/locks; fuser -v /srv/rata/kalibrointi.lock'\npk3-kamera2 | CHANGED | rc=0 >>\n" + locks + "                     USER        PID ACCESS COMMAND\n/srv/rata/kalibrointi.lock:\n                     rata      %d F.... python\n                     kamera    %d F.... tasokuva.py\n" % (ps[1].pid, holder.pid) + fus
    a += "\n$ ansible pk3 -b -m systemd -a 'name=rata-opetus state=stopped'\n" + "".join(f'{h} | CHANGED => {{\n    "changed": true,\n    "name": "rata-opetus",\n    "state": "stopped"\n}}\n' for h in HOSTS)
    put(t, "ansible-tuloste.txt", a)
    put(t, "paivystys.md", f"# Päivystys, perjantai\n- {ts(tk+7200-28,'%H:%M:%S')} opetus ei etene, mitään virhettä ei näy\n- {ts(tk+7200-20,'%H:%M:%S')} verkko ok (ping kaikkiin < 0,3 ms). Jari: \"varmaan kytkin taas, viime kuussa sama\"\n- {ts(tk+7200-4,'%H:%M:%S')} USR1 kaikille -> pinot lokissa\n- {ts(tk+7200,'%H:%M:%S')} pysäytin kaikki (systemctl stop)\n- kamera2:n kello on puolitoista minuuttia edellä\n")
    pack("kotka-2", "tgz", t, dict(cause="sync.hang", culprit_node=["pk3-kamera2", "worker:1"], also_acceptable=[],
        notes="pk3-kamera2's input generator blocks in flock(kalibrointi.lock), held by another user's calibration tool; USR1 stack dump shows kalibrointi() on kamera2 only, the others wait in the collective; operator stopped all with SIGTERM. Red herrings: yesterday's ENOSPC in opetus.log.1, Jari's switch remark."))
def three():
    H = {"pk3-kamera1": "10.31.3.11", "pk3-kamera2": "10.31.3.12"}; d = fresh("kotka3"); net = Net(H)
    def go():
        ps = []
        for i, h in enumerate(H):
            os.makedirs(f"{d}/{h}", exist_ok=True); shutil.copy(f"{HERE}/ratakeras.py", f"{d}/{h}")
            ps.append(Proc(h, [TF215, f"{d}/{h}/ratakeras.py"], host=h, net=net, env={"VARMUUS": f"{d}/yht/varmuus", "TF_CONFIG": json.dumps({"cluster": {"worker": [x + ":4712" for x in H]}, "task": {"type": "worker", "index": i}})}))
        return ps
    try:
        a = go(); a[0].wait_for("Epoch 6/14", 90); time.sleep(.5)
        # planned stop of the winder: the shift leader reboots kamera2; kamera1 is interrupted by hand
        a[1].kill(); a[0].wait(20); finish(a, 3, signal.SIGINT); time.sleep(3); b = go(); b[0].wait(90); finish(b, 15)
    finally: net.close()
    for p in a + b: print(p.name, p.rc, len(p.lines))
    fx = {**{f"{d}/{h}/": "/srv/rata/" for h in H}, os.path.join(ROOT, "tf215"): "/opt/rata-venv", f"{d}/yht": "/mnt/yhteinen"}; t = f"{d}/b"
    for i, h in enumerate(H):
        o = [0, 95][i]; txt = ""
        for n, p in ((1, a[i]), (2, b[i])):
            txt += f"\x1b[01;32mrata@{h}\x1b[00m:\x1b[01;34m/srv/rata\x1b[00m$ ./kaynnista.sh reika   # {ts(p.t0+o+7200,'%H:%M:%S')}\r\n" + rename(shift(p.text(), o), fx).replace("\n", "\r\n")
            if i == 1 and n == 1: txt += "\r\nBroadcast message from root@pk3-kamera2 (vuoropäällikkö): huoltoseisokki, uudelleenkäynnistys\r\n[server exited]\r\n"
            if i == 0 or n == 2: txt += f"\x1b[01;32mrata@{h}\x1b[00m:\x1b[01;34m/srv/rata\x1b[00m$ echo $?\r\n{p.rc if p.rc >= 0 else 128-p.rc}\r\n"
        put(t, f"tmux-{h}.typescript", txt)
    put(t, "viesti.txt", "Moi, tmux pipe-pane molemmista. Kaatui kerran seisokissa, Jari sanoo että verkko on rikki ja malli pilalla. Voitko katsoa onko tulos käyttökelpoinen?\n")
    pack("kotka-3", "tar.gz", t, dict(cause="none", culprit_node=None, also_acceptable=[],
        notes="The first run was broken by a planned reboot of kamera2; the second run resumed from BackupAndRestore and ended with 'valmis', exit 0 on both. Scary: lost-peer errors of the first run, auto-shard warnings, Jari's remark."))
if __name__ == "__main__": {"1": one, "2": two, "3": three}[sys.argv[1]]()

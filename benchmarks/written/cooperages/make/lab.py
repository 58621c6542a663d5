"""Small lab: each 'node' = own net+uts+mount namespace on a bridge. Run under: unshare -n -m --propagation private"""
import os, subprocess, time, threading, json, signal, sys, shlex
def sh(c, check=True):
    return subprocess.run(c, shell=True, check=check)
class Proc: pass
class Lab:
    def __init__(s, name, nodes, venv, domain=None, extra_hosts="", pre=""):
        s.out = f"/opt/incidents/run/{name}"; sh(f"rm -rf {s.out}; mkdir -p {s.out}")
        s.nodes = nodes; s.procs = []; s.t0 = time.time()
        sh("ip link set lo up; ip link add br0 type bridge; ip link set br0 up")
        hosts = "127.0.0.1 localhost\n" + "".join(f"{ip} {n}.{domain} {n}\n" if domain else f"{ip} {n}\n" for n, ip in nodes.items()) + extra_hosts
        s.hosts = f"{s.out}/.hosts"; open(s.hosts, "w").write(hosts)
        sh(f"mount --bind {s.hosts} /etc/hosts")
        for d in ("/opt", "/srv", "/mnt", "/home", "/media"): sh(f"mount -t tmpfs -o size=2g tmpfs {d}")
        if venv:
            src = "/opt/tfenv"
            sh(f"mkdir -p {venv} && mount --bind {src} {venv}")
        s.venv = venv
        if pre: sh(pre)
        s.pid = {}
        s.holders = []
        for i, (n, ip) in enumerate(nodes.items()):
            p = subprocess.Popen(["unshare", "-n", "-u", "-m", "--propagation", "private", "sleep", "600"]); s.holders.append(p)
            time.sleep(0.15)
            s.pid[n] = p.pid
            sh(f"ip link add v{i} type veth peer name eth0 netns {p.pid}; ip link set v{i} master br0 up")
            s.x(n, f"hostname {n}; ip link set lo up; ip addr add {ip}/24 dev eth0; ip link set eth0 up")
        time.sleep(0.3)
    def x(s, n, c, check=True):
        return subprocess.run(["nsenter", "-t", str(s.pid[n]), "-n", "-u", "-m", "--", "bash", "-c", c], check=check)
    def start(s, n, cmd, tag=None, env=None, cwd="/", cpus="0,1", raw=False):
        e = {"PATH": f"{s.venv}/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root", "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1"}; e.update(env or {})
        tag = tag or n
        f = open(f"{s.out}/{tag}.jsonl", "w")
        full = ["nsenter", "-t", str(s.pid[n]), "-n", "-u", "-m", "--", "bash", "-c", f"cd {cwd}; echo $$ > {s.out}/{tag}.pid; exec nice -n 5 taskset -c {cpus} {cmd}"]
        p = subprocess.Popen(full, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=e)
        p.tag = tag
        def pump():
            for line in iter(p.stdout.readline, b""):
                f.write(json.dumps([time.time(), line.decode("utf8", "replace").rstrip("\n")]) + "\n"); f.flush()
            f.close()
        p.th = threading.Thread(target=pump, daemon=True); p.th.start()
        s.procs.append(p); return p
    def rpid(s, tag): return int(open(f"{s.out}/{tag}.pid").read())
    def seen(s, tag, text, timeout=45):
        t = time.time()
        while time.time() - t < timeout:
            try:
                if text in open(f"{s.out}/{tag}.jsonl").read(): return True
            except FileNotFoundError: pass
            time.sleep(0.2)
        return False
    def finish(s, timeout=50):
        end = time.time() + timeout; res = {}
        for p in s.procs:
            try: p.wait(max(0.1, end - time.time()))
            except subprocess.TimeoutExpired: pass
        for p in s.procs:
            if p.poll() is None:
                try: os.kill(s.rpid(p.tag), 9)
                except Exception: pass
                p.kill(); p.wait(); res[p.tag] = ["stillrunning", time.time()]
            else: res[p.tag] = [p.returncode, time.time()]
            p.th.join(3)
        json.dump(res, open(f"{s.out}/rc.json", "w"))
        for h in s.holders: h.kill()
        print(s.out, res)

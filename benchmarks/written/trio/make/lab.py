"""A small laboratory: each host of a job is a network namespace with its own name, address and hosts file.

Every output line of every process is kept with the time and the stream it came on (out/NAME/raw/TASK.jsonl),
so that a collector (pack.py) can write it down in any form: plain, docker json, mpirun tags, one file for all.
"""
import json, os, signal, subprocess, sys, threading, time
HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(os.path.dirname(HERE), 'out')
PY = '/opt/tfenv/bin/python'

def sh(c, check=True):
    return subprocess.run(c, shell=True, check=check, capture_output=True, text=True).stdout

class Lab:
    def __init__(self, name, hosts, known=None):
        """hosts: {host name: address}; known: what the hosts file lists (default: all hosts)."""
        self.name, self.hosts, self.procs, self.logs = name, hosts, {}, {}
        self.dir = os.path.join(OUT, name); sh(f'rm -rf {self.dir}')
        self.raw = os.path.join(self.dir, 'raw'); os.makedirs(self.raw)
        self.events = open(os.path.join(self.dir, 'events.txt'), 'w')
        self.br = 'br-hp'
        sh(f'ip link del {self.br}', False); sh(f'ip link add {self.br} type bridge && ip link set {self.br} up')
        known = known if known is not None else hosts
        for i, (h, a) in enumerate(hosts.items()):
            ns = self.ns(h)
            sh(f'ip netns del {ns}', False)
            sh(f'ip netns add {ns}; ip link add vhp{i} type veth peer name eth0 netns {ns}; ip link set vhp{i} master {self.br} up;'
               f'ip -n {ns} link set lo up; ip -n {ns} addr add {a}/16 dev eth0; ip -n {ns} link set eth0 up')
            os.makedirs(f'/etc/netns/{ns}', exist_ok=True)
            with open(f'/etc/netns/{ns}/hosts', 'w') as f:
                f.write('127.0.0.1 localhost\n' + ''.join(f'{b} {k}\n' for k, b in known.items()))
    def ns(self, h): return 'hp-' + h
    def ev(self, *a):
        print(time.strftime('%H:%M:%S'), *a, flush=True); print(time.strftime('%Y-%m-%d %H:%M:%S'), *a, file=self.events, flush=True)
    def start(self, host, task, script, *args, env=None, pre='', tag=None):
        """Run a script of this folder on a host; pre is shell text before it (ulimit, cgroup)."""
        tag = tag or task
        e = dict(os.environ, OMP_NUM_THREADS='1', PYTHONUNBUFFERED='1', LAB=self.dir, **(env or {}))
        e.pop('TF_CONFIG', None) if not (env or {}).get('TF_CONFIG') else None
        inner = f'hostname {host}; {pre} exec nice -n 10 {PY} {HERE}/{script} ' + ' '.join(map(str, args))
        p = subprocess.Popen(['ip', 'netns', 'exec', self.ns(host), 'unshare', '--uts', 'bash', '-c', inner],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=e, cwd=self.dir)
        f = open(os.path.join(self.raw, tag + '.jsonl'), 'a'); lock = threading.Lock()
        def pump(s, n):
            for l in iter(s.readline, b''):
                with lock:
                    f.write(json.dumps({'t': time.time(), 's': n, 'l': l.decode('utf8', 'replace').rstrip('\n')}) + '\n'); f.flush()
        ts = [threading.Thread(target=pump, args=a, daemon=True) for a in ((p.stdout, 'stdout'), (p.stderr, 'stderr'))]
        [t.start() for t in ts]
        p.threads = ts; self.procs[tag] = p; self.ev('start', tag, host, 'pid', p.pid)
        return p
    def lines(self, tag):
        try: return [json.loads(l)['l'] for l in open(os.path.join(self.raw, tag + '.jsonl')) if l.endswith('\n')]
        except FileNotFoundError: return []
    def wait_line(self, tag, text, limit=90):
        t = time.time()
        while time.time() - t < limit:
            if any(text in l for l in self.lines(tag)): return True
            if self.procs[tag].poll() is not None: break
            time.sleep(.3)
        ok = any(text in l for l in self.lines(tag)); self.ev('wait', tag, repr(text), ok); return ok
    def sig(self, tag, s):
        self.procs[tag].send_signal(s); self.ev('signal', tag, int(s))
    def wait(self, tags, limit):
        t = time.time()
        while time.time() - t < limit and any(self.procs[x].poll() is None for x in tags): time.sleep(.3)
        for x in tags:
            self.ev('exit' if self.procs[x].poll() is not None else 'still running', x, self.procs[x].poll())
    def down(self):
        for x, p in self.procs.items():
            if p.poll() is None: p.send_signal(signal.SIGCONT); p.kill(); p.wait(); self.ev('killed at the end', x)
            [t.join(3) for t in p.threads]
        for h in self.hosts:
            sh(f'ip netns del {self.ns(h)}; rm -rf /etc/netns/{self.ns(h)}', False)
        sh(f'ip link del {self.br}', False)
        json.dump({x: p.returncode for x, p in self.procs.items()}, open(os.path.join(self.dir, 'rc.json'), 'w'))

def tf_config(cluster, typ, i):
    return json.dumps({'cluster': cluster, 'task': {'type': typ, 'index': i}})

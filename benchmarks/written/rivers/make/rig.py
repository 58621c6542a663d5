"""Runs the tasks of one job, each in its own network + UTS + mount namespace ("host"), and records
every output line with its arrival time. Result: run/<job>.json {rows:[[t,label,line]], rc:{}, pid:{}, marks:[]}"""
import subprocess, os, json, time, threading, signal, sys, shutil
HERE = os.path.dirname(os.path.abspath(__file__)); OUT = os.path.join(HERE, '..', 'run')
def sh(c, check=False): return subprocess.run(c, shell=True, check=check, capture_output=True, text=True)
class Rig:
    def __init__(s, job, hosts, app, script, jobfile, dns=None):
        s.job, s.hosts, s.app, s.script = job, hosts, app, script
        s.rows, s.p, s.marks, s.th = [], {}, [], []
        s.work = os.path.abspath(f'{OUT}/{job}.work'); sh(f'rm -rf {s.work}'); os.makedirs(s.work)
        sh(f'chmod 777 {s.work}')
        shutil.copy(f'{HERE}/jobs/{jobfile}', f'{s.work}/{script}')
        s.hf = os.path.abspath(f'{OUT}/{job}.hosts')
        open(s.hf, 'w').write('127.0.0.1 localhost\n' + ''.join(f'{ip} {h}\n' for h, ip in hosts.items()))
        s.rf = os.path.abspath(f'{OUT}/{job}.resolv'); open(s.rf, 'w').write(f'nameserver {dns}\n' if dns else '')
        s.down()
        sh('ip netns add w-sw; ip netns exec w-sw ip link set lo up; ip netns exec w-sw ip link add br0 type bridge; ip netns exec w-sw ip link set br0 up')
        if dns: sh(f'ip netns exec w-sw ip addr add {dns}/24 dev br0')
        for i, (h, ip) in enumerate(hosts.items()):
            n = f'w-{h}'
            sh(f'ip netns add {n}; ip netns exec {n} ip link set lo up; ip link add wv{i} netns w-sw type veth peer name eth0 netns {n};'
               f'ip netns exec w-sw ip link set wv{i} master br0 up; ip netns exec {n} ip addr add {ip}/16 dev eth0; ip netns exec {n} ip link set eth0 up')
    def down(s):
        for h in list(s.hosts) + ['sw']: sh(f'ip netns del w-{h}')
    def start(s, label, host, args='', env=None, py='/opt/tfenv', pre='', cmd=None, script=None):
        e = dict(PATH='/opt/tf/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME=s.app, OMP_NUM_THREADS='1', PYTHONUNBUFFERED='1', LANG='C.UTF-8', TF_ENABLE_ONEDNN_OPTS='1'); e.update(env or {})
        ex = cmd or f'{pre} /opt/tf/bin/python {script or s.script} {args}'
        inner = (f'hostname {host}; mount --bind {s.hf} /etc/hosts; mount --bind {s.rf} /etc/resolv.conf; mkdir -p /opt/incidents/run/mw /opt/incidents/run/mv; mount --bind {s.work} /opt/incidents/run/mw; '
                 f'mount --bind {py} /opt/incidents/run/mv; mkdir -p /opt/incidents/run/mp; mount --bind /root/.pyenv /opt/incidents/run/mp; mount -t tmpfs -o mode=755 tmpfs /root; mkdir /root/.pyenv; mount --bind /opt/incidents/run/mp /root/.pyenv; for d in /opt /home /mnt /srv; do mount -t tmpfs -o mode=755 tmpfs $d; done; mkdir -p /opt/tf {s.app}; mount --bind /opt/incidents/run/mv /opt/tf; mount --bind /opt/incidents/run/mw {s.app}; '
                 f'cd {s.app}; exec {ex}')
        p = subprocess.Popen(['nice', '-n', '10', 'ip', 'netns', 'exec', f'w-{host}', 'unshare', '-m', '-u', 'sh', '-c', inner], env=e, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        s.p[label] = p
        def rd():
            for b in p.stdout: s.rows.append([time.time(), label, b.decode('utf8', 'replace').rstrip('\n')])
        t = threading.Thread(target=rd, daemon=True); t.start(); s.th.append(t); return p
    def mark(s, m): s.marks.append([time.time(), m])
    def wait(s, timeout, labels=None):
        end = time.time() + timeout
        for l in labels or list(s.p):
            try: s.p[l].wait(max(0.1, end - time.time()))
            except subprocess.TimeoutExpired: return False
        return True
    def until(s, text, timeout=60, n=1):
        end = time.time() + timeout
        while time.time() < end:
            if sum(text in r[2] for r in list(s.rows)) >= n: return True
            time.sleep(0.1)
        print(s.job, 'never saw', text); return False
    def kill(s, label, sig=signal.SIGKILL): s.mark(f'{label} signal {int(sig)}'); os.killpg(s.p[label].pid, sig)
    def ex(s, host, c): return sh(f'ip netns exec w-{host} {c}')
    def done(s):
        for l, p in s.p.items():
            if p.poll() is None:
                try: os.killpg(p.pid, signal.SIGKILL)
                except Exception: pass
        for p in s.p.values(): p.wait()
        time.sleep(.3)
        json.dump(dict(rows=s.rows, rc={l: p.returncode for l, p in s.p.items()}, pid={l: p.pid for l, p in s.p.items()}, marks=s.marks), open(f'{OUT}/{s.job}.json', 'w'))
        s.down(); print(s.job, len(s.rows), {l: p.returncode for l, p in s.p.items()}, flush=True)
def tfc(cluster, typ, idx): return json.dumps({'cluster': cluster, 'task': {'type': typ, 'index': idx}})

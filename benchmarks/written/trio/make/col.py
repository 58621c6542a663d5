"""Helpers of the collectors: read raw lines with clocks and paths rewritten, write archives and truths."""
import datetime as D, json, os, re, shutil, subprocess, tarfile, zipfile
HERE = os.path.dirname(os.path.abspath(__file__)); TOP = os.path.dirname(HERE); OUT = os.path.join(TOP, 'out'); SET = os.path.join(TOP, 'set')
U = D.timezone.utc

class C:
    def __init__(self, name, base, code='/home/u/train', site='/opt/tf/lib/python3.11/site-packages', data='/data/run', py='/opt/tf/bin/python'):
        """base: 'YYYY-mm-dd HH:MM:SS', the wall time at which the job's first line shall be."""
        self.name, self.raw = name, os.path.join(OUT, name, 'raw')
        self.subs = [(os.path.join(TOP, 'tfk'), site), (os.path.join(OUT, name), data), (HERE, code), ('/opt/tfenv/lib/python3.11/site-packages', site), ('/opt/tfenv/bin/python', py)]
        t0 = min(json.loads(next(open(os.path.join(self.raw, f))))['t'] for f in os.listdir(self.raw) if os.path.getsize(os.path.join(self.raw, f)))
        self.t0 = t0
        self.off = round(D.datetime.strptime(base, '%Y-%m-%d %H:%M:%S').replace(tzinfo=U).timestamp() - t0)
        self.stage = os.path.join(OUT, name, 'stage'); shutil.rmtree(self.stage, True); os.makedirs(self.stage)
    def text(self, l, d):
        for a, b in self.subs: l = l.replace(a, b)
        def dt(m):
            x = D.datetime.strptime(m[1] + ' ' + m[3], '%Y-%m-%d %H:%M:%S') + D.timedelta(seconds=d)
            return x.strftime('%Y-%m-%d') + m[2] + x.strftime('%H:%M:%S')
        l = re.sub(r'(20\d\d-\d\d-\d\d)([ T])(\d\d:\d\d:\d\d)', dt, l)
        l = re.sub(r'(?<=00:00:)(1[78]\d{8})(?=\.\d{6})', lambda m: str(int(m[1]) + d), l)
        def g(m):
            x = D.datetime.strptime('2026' + m[2] + ' ' + m[3], '%Y%m%d %H:%M:%S') + D.timedelta(seconds=d)
            return m[1] + x.strftime('%m%d %H:%M:%S')
        return re.sub(r'^([IWEF])(11\d\d) (\d\d:\d\d:\d\d)(?=\.\d{6})', g, l)
    def lines(self, task, shift=0, sep=True):
        """[(time, stream, text)] of one task in the host's clock."""
        d = self.off + shift; r = []
        for x in open(os.path.join(self.raw, task + '.jsonl')):
            x = json.loads(x)
            for p in re.sub('\x08+', '\r', x['l']).split('\r') if sep else [x['l']]:
                if p or not x['l']: r.append((x['t'] + d, x['s'], self.text(p, d)))
        return r
    def at(self, t, fmt='%Y-%m-%d %H:%M:%S'): return D.datetime.fromtimestamp(t, U).strftime(fmt)
    def iso(self, t): return D.datetime.fromtimestamp(t, U).strftime('%Y-%m-%dT%H:%M:%S.%f') + '%03dZ' % (int(t * 1e9) % 1000)
    def put(self, path, text):
        p = os.path.join(self.stage, path); os.makedirs(os.path.dirname(p), exist_ok=True)
        open(p, 'wb').write(text if isinstance(text, bytes) else (text.rstrip('\n') + '\n').encode())
    def plain(self, ls): return '\n'.join(l for _, _, l in ls)
    def merged(self, tasks, fmt):
        """One file in which several tasks write: tasks {task: shift}; fmt(task, t, stream, line)."""
        r = sorted(((t, k, s, l) for k, sh in tasks.items() for t, s, l in self.lines(k, sh)), key=lambda x: x[0])
        return '\n'.join(fmt(k, t, s, l) for t, k, s, l in r)
    def done(self, archive, cause, culprit, also, notes):
        p = os.path.join(SET, archive); os.makedirs(SET, exist_ok=True)
        if os.path.exists(p): os.remove(p)
        if archive.endswith('.zip'):
            with zipfile.ZipFile(p, 'w', zipfile.ZIP_DEFLATED) as z:
                for d, _, fs in os.walk(self.stage):
                    for f in sorted(fs): z.write(os.path.join(d, f), os.path.relpath(os.path.join(d, f), self.stage))
        else:
            m = 'w:xz' if archive.endswith('xz') else 'w:bz2' if archive.endswith('bz2') else 'w:gz'
            with tarfile.open(p, m) as t:
                for f in sorted(os.listdir(self.stage)): t.add(os.path.join(self.stage, f), f)
        T = {'archive': archive, 'cause': cause, 'culprit_node': culprit, 'also_acceptable': also, 'notes': notes}
        open(os.path.join(SET, self.name + '.truth.yaml'), 'w').write(''.join(f'{k}: {json.dumps(v)}\n' for k, v in T.items()))
        print(self.name, archive, os.path.getsize(p) // 1024, 'KB')

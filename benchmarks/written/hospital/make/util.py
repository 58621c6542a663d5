from lab import *
import sys, random, textwrap
DS = open(HERE + '/ds_plain.py').read()

def show(L, n=10, w=230):
    for p in L.procs:
        print(f'--- {p.tag} rc={p.p.poll()} lines={len(p.lines)}')
        for _, l in p.lines[-n:]: print('   ', l[:w])

def errs(L, n=6, w=260, pat=r'Error\b|Error:|E0000|: E |F0000|: F |Abort|fault \(|Segm|[kK]illed|free\(\)|errno|exit|status|code retour'):
    for p in L.procs:
        hits = [l for _, l in p.lines if re.search(pat, l) and 'round-off' not in l and 'Mirrored' not in l]
        print(f'--- {p.tag} rc={p.p.poll()} lines={len(p.lines)} hits={len(hits)}')
        for l in hits[:n]: print('   ', l[:w])

def merged(procs, style, secs=None, paths=None):
    """one stream of several processes, in order of arrival; style(tag, t, line) -> str"""
    rows = []
    for p in procs:
        s = (secs or {}).get(p.tag, 0)
        for i, (t, l) in enumerate(p.lines): rows.append((t, p.tag, i, fix(l, s, paths[p.tag] if isinstance(paths, dict) else (paths or [])), s))
    rows.sort(key=lambda r: (r[0], r[1], r[2]))
    return '\n'.join(style(tag, t + s, l) for t, tag, i, l, s in rows) + '\n'

def run(todo):
    for n in sys.argv[1:]:
        t = time.time(); print('=====', n); todo[n](); print('   took', round(time.time() - t, 1))

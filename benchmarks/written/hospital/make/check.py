"""prints what is in the set: causes, sizes, leaks of paths of this laboratory"""
import glob, tarfile, zipfile, os, re, yaml, collections, sys
from lab import ROOT
c = collections.Counter()
for t in sorted(glob.glob(ROOT + '/set/*.truth.yaml')):
    d = yaml.safe_load(open(t)); a = ROOT + '/set/' + d['archive']; c[d['cause']] += 1
    if a.endswith('zip'):
        z = zipfile.ZipFile(a); f = {n: z.read(n) for n in z.namelist()}
    else:
        z = tarfile.open(a); f = {m.name: z.extractfile(m).read() for m in z.getmembers() if m.isfile()}
    leak = sorted({m.decode() for b in f.values() for m in re.findall(rb'..\S*|/opt/tfenv\S*|\S*pyenv\S*|\bruns?c\b', b)})[:4]
    dates = sorted({m.decode() for b in f.values() for m in re.findall(rb'2026-\d\d-\d\d', b)})
    print(os.path.basename(a), d['cause'], d['culprit_node'], d['also_acceptable'], os.path.getsize(a), 'LEAK' if leak else '', leak, dates, sum(b.count(b'\n') for b in f.values()))
print(sum(c.values()), dict(c))

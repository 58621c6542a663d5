#!/bin/bash
# show.sh RUN [n]
for f in /opt/incidents/run/$1/*.jsonl; do echo "== $f $(wc -l <$f)"; python3 - "$f" ${2:-25} <<'P'
import sys,json
L=[json.loads(l) for l in open(sys.argv[1])]
n=int(sys.argv[2])
for t,x in L[-n:]: print(f"{t%1000:7.2f}",x[:400])
P
done

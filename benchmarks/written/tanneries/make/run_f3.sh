. <(sed -n '1,/^st()/p' run_f.sh)
cat > catalogue.py <<'P'
"""walk the issue catalogue (scanned tree of Scott/Michel numbers, nested JSON)"""
import json, sys
sys.setrecursionlimit(10**7)
class Node(dict):
    def __missing__(self, k):
        parent = Node(variant_of=k)
        return parent[self.norm(k)]
    def norm(self, k): return k.strip()
def walk(no):
    root = Node()
    return sorted([no, no + "a"], key=lambda n: root[n])
P
EV="DEEP=260 PYTHONFAULTHANDLER=1"
st f3 1 paro paro-ps --ps paro:2220 --wk haa:2221,punakha:2221 --job ps --i 0
EV="X=1" st f3 2 haa haa --ps paro:2220 --wk haa:2221,punakha:2221 --job worker --i 0 --steps 100000 --ckdir $R/ck_f3
st f3 3 punakha punakha --ps paro:2220 --wk haa:2221,punakha:2221 --job worker --i 1 --steps 100000 --ckdir $R/ck_f3
sleep 32;  kill -9 $(cat $R/f3/pids); bash net.sh down

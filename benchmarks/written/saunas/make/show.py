import json,sys
ev=json.load(open(f"/opt/incidents/runs/{sys.argv[1]}.jsonl")); w=int(sys.argv[2]) if len(sys.argv)>2 else 220
skip=sys.argv[3] if len(sys.argv)>3 else None
import re
n=0
for t,k,s,l in ev:
    if skip and re.search(skip,l): continue
    print("%.2f %s %s %s"%(t-ev[0][0],k,s[:1],l[:w]))

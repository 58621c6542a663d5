import json,sys
d=json.load(open(f'/srv/runs/runs/{sys.argv[1]}.json'))
for k in sys.argv[2:]:
    k,_,n=k.partition(':'); n=int(n or 30)
    print('=====',k,d['ex'].get(k))
    for t,kk,o,l in [r for r in d['rec'] if r[1]==k][-n:]: print('%.2f'%(t-d['t0']),o,l[:230])

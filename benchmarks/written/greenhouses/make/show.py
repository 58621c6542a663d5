import json,sys
r=json.load(open(f'/opt/incidents/run/{sys.argv[1]}/rec.json'))
ids=sys.argv[3].split(',') if len(sys.argv)>3 else None
for p in r['procs']:
    if ids and p['id'] not in ids: continue
    print('=====',p['id'],p['rc'],len(p['log']))
    for t,s,x in p['log'][-int(sys.argv[2]):]: print('%.2f'%(t-r['procs'][0]['t0']),x[:200])

import json,sys
d=json.load(open(f'/opt/incidents/run/{sys.argv[1]}/raw/d.json')); n=int(sys.argv[2]) if len(sys.argv)>2 else 15
for p in d['procs']:
    print('=====',p['tag'],len(p['lines']),p['rc'])
    L=[x[1][:330] for x in p['lines']]
    print('\n'.join(L if len(L)<2*n else L[:n]+['.....']+L[-n:]))
for k,v in d.items():
    if k!='procs': print('##',k,v if isinstance(v,(int,float)) else (v if isinstance(v,str) else '\n'.join(f'[{a}]\n{b}' for a,b in v.items())))

import json,sys
for m in sys.argv[2:]:
    d=json.load(open(f'../run/{m}.json'))
    for p in d['procs']:
        print('=====',m,p['name'],p['rc'],len(p['lines']))
        L=p['lines']; n=int(sys.argv[1])
        for l in L[7:12]+[(0,'','...')]+L[-n:]: print(l[2][:420])

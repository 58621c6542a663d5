from jobs import *; from gen import gen
D=['--data','"data/ok/*"','--spe','75']
F='e%02d z%05d nuostolis=%.4f %.0f ms'
json.dump({'L-%04d'%i:['L-%04d'%j for j in range(3*i+1,3*i+4) if j<400] for i in range(400)},open('data/partijos_a.json','w'))
d=json.load(open('data/partijos_a.json')); d['L-0391']=['L-0004']; json.dump(d,open('data/partijos_b.json','w'))
gen('run/rusiuok.py','gintaras',STEPFMT=F,TMO='40',ARGS='ap.add_argument("--tree", required=True)',PREP='''
sys.setrecursionlimit(10 ** 7)
tree = json.load(open(a.tree))


def weight(lot):
    return 1 + sum(map(weight, tree[lot]))


log.info("lot tree: %d lots, reading %s", len(tree), a.tree)
lot_weights = np.array([weight(k) for k in tree], "float32")
log.info("lot weights ok, max %d", lot_weights.max())
''')
P=[21101,21102,21103]
ps={f'w{i}':launch('d10',f'w{i}','run/rusiuok.py',D+['--epochs','2','--tree','data/partijos_%s.json'%('b' if i==1 else 'a')],tfconfig=cfg(P,i)) for i in range(3)}
print('d10',waitall(ps,40))

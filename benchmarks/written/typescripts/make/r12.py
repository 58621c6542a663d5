from ren import *
N=['corral3','potrero1','tranquera']
d0=json.load(open(BASE+'/runs/a12.json'))
w=D.datetime(2025,8,8,2,59,33)
r=R('a12',w.isoformat(),'America/Argentina/Buenos_Aires','/opt/rodeo','/opt/rodeo/ve',(),{'potrero1':1,'tranquera':-18},{'corral3':4000,'potrero1':-9000,'tranquera':51000},[('/srv/runs/runs/a12/modelo','/mnt/rebano/modelos/vacas-v7')])
d=r.d; M=[]
for h in N:
    by={}
    for t,k,o,l in r.lines(h): by.setdefault(r.dt(t,h).strftime('%Y/%m/%d/%H'),[]).append(f'{l}\n')
    for b,x in sorted(by.items()): M.append((f'var/log/rodeo/{h}/{b}-entrena.log',''.join(x)))
sv=''
t0=d['t0']
for h in N:
    sv+=f'== {h} ==\nrun: chrony: (pid {780+len(h)}) {8812214+len(h)*99}s; run: log: (pid {770+len(h)}) {8812214+len(h)*99}s\n' if 0 else f'== {h} ==\n'
    sv+=f'down: rodeo-entrena: {int(3600*3-d["ex"][h][0]+t0)}s; run: log: (pid {r.pid(h)-1401}) {882214+len(h)*99}s\nrun: sshd: (pid {1200+len(h)}) {882214+len(h)*99}s\n'
M.append(('sv-status.txt','$ for h in corral3 potrero1 tranquera; do echo "== $h =="; ssh $h sv status rodeo-entrena sshd; done\n'+sv))
fin=''
for h in N: fin+=f"{h}: {r.dt(d['ex'][h][0],h).strftime('%Y-%m-%dT%H:%M:%S')} finish: código {d['ex'][h][1]} estado 0, sv once, no se relanza\n"
M.append(('finish.log',fin))
pack('rodeo-logs-0808.tar.gz',M,r.t(t0)+3600*3,dict(cause='none',culprit_node=None,notes='Healthy: six epochs on all three, exit 0, validation printed; tranquera came 14 s late, potrero1 had two read timeouts that the retry cured.'))

from lib import *
N={'kas-rek1':'10.44.2.11','kas-rek2':'10.44.2.12','kas-rek3':'10.44.2.13'}
L=Lab('i1','10.44.2.',{'/srv/trein/bin':B+'/code/i1','/srv/trein/omgeving':'/opt/tfenv','/schijf':'NODE/schijf'},N)
os.makedirs(L.dir+'/nodes/kas-rek2/schijf'); L.sh(f'mount -t tmpfs -o size=12m none {L.dir}/nodes/kas-rek2/schijf')
W=[f'{ip}:4711' for ip in N.values()]
def go(i,k):
    n=list(N)[i]
    pre='mkdir -p /schijf/ijkpunt'
    return L.start(f'{n}#{k}',n,'/srv/trein/omgeving/bin/python /srv/trein/bin/trein.py',{'TF_CONFIG':json.dumps({'cluster':{'worker':W},'task':{'type':'worker','index':i}})},pre)
cur={i:go(i,0) for i in range(3)}; k={0:0,1:0,2:0}
end=time.time()+62; lim=3
while time.time()<end:
    for i in cur:
        if cur[i] and cur[i].rc is not None:
            if k[i]>=lim: continue
            time.sleep(1); k[i]+=1; cur[i]=go(i,k[i])
    time.sleep(.2)
for p in cur.values(): L.sig(p,15)
L.wait(cur.values(),5)
L.extra['ls']=subprocess.run(f'ls -laR {L.dir}/nodes/kas-rek2/schijf; df -k {L.dir}/nodes/kas-rek2/schijf',shell=True,capture_output=True,text=True).stdout
L.close()
L.sh(f'umount {L.dir}/nodes/kas-rek2/schijf')

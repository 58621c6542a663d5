from lib import *
N={'nodo03.uv-astro':'10.60.1.3','nodo08.uv-astro':'10.60.1.8','nodo11.uv-astro':'10.60.1.11','nodo12.uv-astro':'10.60.1.12','nodo17.uv-astro':'10.60.1.17'}
h=list(N); os.makedirs(B+'/code/i6',exist_ok=True)
json.dump({'chief':[N[h[0]]+':9618'.replace('9618','30333')],'ps':[N[h[1]]+':30333',N[h[2]]+':30333'],'worker':[N[h[3]]+':30333',N[h[4]]+':30333']},open(B+'/code/i6/cluster.json','w'))
L=Lab('i6','',{'/home/mvidal/fotoz':B+'/code/i6','/home/mvidal/entornos/tf':'/opt/tfenv'},N)
cg=L.cgroup('memory','bi6_htcondor')
open(cg+'/memory.limit_in_bytes','w').write(str(560<<20))
roles=['chief.0','ps.0','ps.1','worker.0','worker.1']
ps=[]
for i in (1,2,3,4,0):
    ps.append(L.start(roles[i],h[i],'/home/mvidal/entornos/tf/bin/python /home/mvidal/fotoz/fotoz.py',{'FOTOZ_ROL':roles[i],'FOTOZ_CLUSTER':'/home/mvidal/fotoz/cluster.json'},cg=[cg] if i==2 else []))
t=time.time(); mem=[]
while time.time()-t<90 and ps[4].rc is None:
    time.sleep(1); mem.append([time.time(),int(open(cg+'/memory.usage_in_bytes').read())])
time.sleep(2)
L.extra['mem']=mem
L.extra['dmesg']=subprocess.run('dmesg | tail -60',shell=True,capture_output=True,text=True).stdout
for p in ps:
    if p.rc is None: L.sig(p,15)
L.wait(ps,5); L.close()

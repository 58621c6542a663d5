from ren import *
N=['trainer-1','trainer-2','trainer-3','trainer-4']
r=R('a11','2026-03-27 01:12:45','UTC','/app','/usr/local',(),{},{})
d=r.d
# inside a container the process is pid 1 and its threads are low numbers
r.pido={h:-d['pid'][h]+1 for h in N}
o='$ docker --context magazijn2 compose -p voorraad logs -t --no-color\n'
for t,k,s,l in r.lines():
    x=r.t(t,k); o+=f"{k}  | {D.datetime.fromtimestamp(x,D.timezone.utc).strftime('%Y-%m-%dT%H:%M:%S.%f')}{random.Random(x).randint(100,999)}Z {l}\n"
F='%Y-%m-%d %H:%M:%S'
cr=r.dt(d['t0']-2)
last=max(v[0] for v in d['ex'].values())
ps='$ docker --context magazijn2 compose -p voorraad ps -a --format "table {{.Name}}\\t{{.State}}\\t{{.ExitCode}}\\t{{.RunningFor}}"\nNAME                   STATE     EXIT CODE   CREATED\n'
for h in N:
    rc=d['ex'][h][1]; ps+=f'voorraad-{h:<13s} exited    {rc if rc>=0 else 128-rc:<11d} 11 minutes ago\n'
ls='$ for i in 1 2 3 4; do echo "# deel $i"; ls /srv/nas/voorraad/2026w12/deel$i | tr "\\n" " "; echo; done\n'
for i in range(4): ls+=f'# deel {i+1}\n'+' '.join('wk%02d.tfrecord'%k for k in range(9 if i==2 else 12))+' \n'
y='''name: voorraad
x-t: &t
  image: registry.intern/voorraad/train:0.31
  command: python voorraad.py
  restart: "no"
services:
'''+''.join(f'''  trainer-{i+1}:
    <<: *t
    hostname: trainer-{i+1}
    volumes: ["/srv/nas/voorraad/2026w12/deel{i+1}:/data:ro"]
    environment:
      DATA: /data
      TF_CONFIG: '{{"cluster":{{"worker":["trainer-1:2222","trainer-2:2222","trainer-3:2222","trainer-4:2222"]}},"task":{{"type":"worker","index":{i}}}}}'
''' for i in range(4))
pack('voorraad-27mrt.zip',[('compose-logs.txt',o),('ps.txt',ps),('docker-compose.yml',y)],r.t(last)+600,dict(cause='data.uneven-shards',culprit_node='trainer-3',notes="trainer-3 has 9 files where the others have 12: it ends normally ('klaar: 408 stappen', exit code 0) while the others still need it, and they get 'Socket closed' from task:2 and lost coordination service."))

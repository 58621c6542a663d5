from ren import *
H=['r07u12','r07u14','r08u03']
r=R('a3','2025-10-23 02:14:31','Asia/Seoul','/srv/roll/trainer','/srv/roll/py311',[(r'\d{8}-\d{6}(?=\|)','%Y%m%d-%H%M%S')],{'r07u12':0,'r07u14':4,'r08u03':-117},{'r07u12':2000,'r07u14':60000,'r08u03':-8000})
d=r.d; M=[]
ks=lambda h:sorted([k for k in d['st'] if k.split('#')[0]==h],key=lambda k:d['st'][k])
tt=max(x[0] for x in r.rec if not 0) 
stop=max(v[0] for k,v in d['ex'].items())-2.7
for h in H:
    S=[]
    def w(t,lv,m): S.append(r.dt(t,h).strftime('%Y-%m-%d %H:%M:%S,')+'%03d %s %s\n'%((r.t(t,h)%1)*1000,lv,m))
    st0=d['st'][ks(h)[0]]
    w(st0-1.4,'INFO','Set uid to user 1107 succeeded'); w(st0-1.31,'INFO',"RPC interface 'supervisor' initialized"); w(st0-1.31,'CRIT',"Server 'unix_http_server' running without any HTTP authentication checking"); w(st0-1.3,'INFO','supervisord started with pid %d'%(r.pid(ks(h)[0])-31))
    body=''
    for k in ks(h):
        rc=d['ex'][k][1]
        w(d['st'][k],'INFO',f"spawned: 'walz' with pid {r.pid(k)}"); w(d['st'][k]+1.01,'INFO','success: walz entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)')
        if rc==1: w(d['ex'][k][0],'WARN','exited: walz (exit status 1; not expected)')
        else:
            w(stop,'WARN','received SIGTERM indicating exit request'); w(stop,'INFO','waiting for walz to die'); w(stop+2.1,'WARN',f"killing 'walz' ({r.pid(k)}) with SIGKILL"); w(stop+2.15,'WARN','stopped: walz (terminated by SIGKILL)')
        body+=''.join(l+'\n' for *_,l in r.lines(k))
    if h!='r07u14': w(d['ex'][ks(h)[-1]][0]+.35,'WARN','received SIGTERM indicating exit request')
    M+= [(f'rollwerk/{h}/supervisord.log',''.join(S)),(f'rollwerk/{h}/walz.log',body)]
n='''제목: [압연2] 표면결함 학습 안 뜸

어제 r08u03 증설분 붙이고 다시 돌렸는데 세 대 다 계속 재시작만 합니다.
방화벽은 확인했고 29400 서로 열려 있습니다 (nc -zv 6방향 모두 succeeded).
supervisor 전부 내리고 /var/log/supervisor 그대로 올립니다. r08u03 시계가 2분쯤 늦습니다.
supervisord 4.2.5, 이미지 roll-trainer:4.1.0 (sha256 3대 동일).
'''
M.insert(0,('rollwerk/메모.txt',n))
pack('rollwerk-20251023.zip',M,r.t(stop)+2000,dict(cause='config.task-index',culprit_node='r08u03',notes="r08u03 (third in the cluster list) starts with TF_CONFIG index 1, the same as r07u14, so the coordinator on r07u12 says task:1 'unexpectedly tried to connect with a different incarnation' at every supervisord restart; no member ever claims index 2."))

from exp import *
@case
def e03():
    d=load('i03'); S=Sh(datetime(2026,11,25,15,47,12).timestamp()-d['t'],0); o=Out('slides-fold2','zip',top='slides-fold2')
    def S3(l): return re.sub(r'^\[(\d\d:\d\d:\d\d) ',lambda m:'['+(datetime.strptime('2026-11-29 '+m.group(1),'%Y-%m-%d %H:%M:%S')+timedelta(seconds=S.d)).strftime('%H:%M:%S')+' ',S(l))
    for p in d['procs']:
        h=p['host']; x=[f'(slides) pathol@{h}:~/slides$ python fit_slides.py']+[S3(l) for _,l in p['lines']]
        if h!='histo-c': x.append(f'(slides) pathol@{h}:~/slides$ ')
        o.w(f'tmux/{h}.txt','\n'.join(x)+'\n')
    now=U(d['t']+S.d+38*60)
    start=(datetime(2026,11,29,0,1,30)+timedelta(seconds=S.d)).strftime('%a %b %e %H:%M:%S %Y')
    def psout(h,sh,pid):
        t=f'{h}\n{now:%a %b %e %H:%M:%S} UTC {now:%Y}\n {now:%H:%M:%S} up 61 days,  4:1{len(h)%3},  1 user,  load average: 0.0{ord(h[-1])%7}, 0.03, 0.05\nUSER         PID    PPID STAT                  STARTED     TIME WCHAN                COMMAND\n'
        t+=f'pathol   {sh:>7} {sh-4:>7} Ss   Wed Nov 25 07:58:{ord(h[-1])%60:02d} 2026 00:00:00 do_select            -bash\n'.replace('do_select','do_wait' if h!='histo-c' else 'do_wait')
        if h=='histo-c': t+=f'pathol     22191 {sh:>7} TNl  {start} 00:00:04 do_signal_stop       python fit_slides.py\n'
        return t
    o.w('mail.txt',f'''Von: Y. Brandl <brandl@path.klinikum.example>
An: rechnerbetrieb@path.klinikum.example
Datum: Wed, 25 Nov 2026 16:31:08 +0000
Betreff: Fold 2 steht schon wieder

Hallo,

Fold 2 ist heute nachmittag in Epoche 4 stehen geblieben, auf a, b und d mit einer langen Meldung (haengt an, aus tmux kopiert).
histo-c sagt gar nichts, das Fenster zeigt einfach die letzte Zeile. Neustarten darf ich nicht selbst. Die Maschine antwortet auf ping
und ssh, ps von allen vier unten. Der Putztrupp hat die Nacht davor uebrigens wieder den Switch-Schrank bewegt, falls das wichtig ist.
Am Montag hatten wir auf histo-b noch "Out of memory: Killed process 7120 (QuPath)", das war aber das Programm von Herrn Lindner.

'''+'\n'.join(psout(h,s,0) for h,s in (('histo-a',29811),('histo-b',8102),('histo-c',21960),('histo-d',4990)))+'\nDanke und Gruss\nY. Brandl\n')
    o.pack('sync.hang',['histo-c','worker:2'],[],'histo-c\'s process 22191 is still there but stopped (STAT T, wchan do_signal_stop), its log ends silently in epoch 4; the other three only report that task:2 stopped sending heartbeats.',d['t']+S.d+2800)

@case
def e12():
    d=load('i12'); S=Sh(datetime(2026,11,23,4,20,9).timestamp()-d['t'],0); o=Out('basket-bpr-2026w48','tar',top='basket')
    R=random.Random(12); iid={'coord-m':'5120934471120931','trn-w-0':'7781203341109920','trn-w-1':'7781203341109921','vars-p-0':'3309127760018234'}
    E=[]
    def add(t,h,txt,sev='DEFAULT',log='basket-train',pid=None): E.append((t,dict(insertId=''.join(R.choice('0123456789abcdefghijklmnopqrstuvwxyz') for _ in range(14)),jsonPayload=dict(message=txt,**({'pid':pid} if pid else {})),labels={'compute.googleapis.com/resource_name':h},logName=f'projects/basket-ml/logs/{log}',resource={'labels':{'instance_id':iid[h],'project_id':'basket-ml','zone':'europe-west4-b'},'type':'gce_instance'},severity=sev,timestamp=U(t+S.d).strftime('%Y-%m-%dT%H:%M:%S.%fZ'))))
    pid={'coord-m':4411,'trn-w-0':3978,'trn-w-1':4103,'vars-p-0':3851,'trn-w-1-again':1291}
    for p in d['procs']:
        for t,l in p['lines']:
            sev={'E':'ERROR','W':'WARNING','I':'INFO'}.get(l[:1],'DEFAULT') if re.match(r'[IWE]\d{4} ',l) else ('INFO' if ' INFO ' in l else 'WARNING' if l.startswith('WARNING') or ' WARNING ' in l else 'ERROR' if ' ERROR ' in l else 'DEFAULT')
            add(t,p['host'],S(l),sev,pid=pid[p['tag']])
    h='trn-w-1'
    add(d['t']-.2,h,'shutdown-script: Instance is being preempted, stopping basket.service','INFO','google-shutdown-scripts'); add(d['t']+.4,h,'basket.service: Main process exited, code=killed, status=15/TERM','INFO','syslog'); add(d['t']+.41,h,"basket.service: Failed with result 'signal'.",'WARNING','syslog'); add(d['t2']-1.9,h,'kernel: Linux version 6.1.0-28-cloud-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40) #1 SMP PREEMPT_DYNAMIC Debian 6.1.119-1 (2024-11-22)','INFO','syslog'); add(d['t2']-.3,h,'Started basket.service - basket training task.','INFO','syslog')
    end=[p for p in d['procs'] if p['tag']=='coord-m'][0]['lines'][-1][0]
    add(end+.9,'coord-m','basket.service: Deactivated successfully.','INFO','syslog')
    E.sort(key=lambda e:e[0],reverse=True)
    o.w('downloaded-logs-20261123-060412.json','[\n'+',\n'.join(json.dumps(e,ensure_ascii=False) for _,e in E)+'\n]\n')
    z=lambda x:U(x+S.d).strftime('%Y-%m-%dT%H:%M:%S.%f')[:-3]+'-00:00'
    o.w('operations.txt',f'''$ gcloud compute operations list --zones=europe-west4-b --filter="operationType~preempted OR operationType~start" --format="table(name,operationType,targetLink.basename(),status,insertTime)"
NAME                                                     TYPE                            TARGET   STATUS  INSERT_TIME
systemevent-1795406409112-64f0a9e1b7c44-2b1d90f3-77a0c1de  compute.instances.preempted     trn-w-1  DONE    {z(d['t']-1.2)}
operation-1795406412800-64f0a9e53c7f0-9d0e8f11-0c2b6a17    start                           trn-w-1  DONE    {z(d['t']+2.6)}
''')
    o.w('frage.txt','Pager kam 04:20 (Regel "basket: ERROR/UNAVAILABLE im Log"). Bitte nachsehen ob der Lauf w48 wiederholt werden muss, das Modell liegt im Bucket.\n')
    o.w('bucket.txt',f'''$ gsutil ls -l gs://basket-ml-models/bpr/2026w4*
    192911  2026-11-16T04:31:50Z  gs://basket-ml-models/bpr/2026w47/bpr.npz
    192908  {U(end+S.d):%Y-%m-%dT%H:%M:%SZ}  gs://basket-ml-models/bpr/2026w48/bpr.npz
TOTAL: 2 objects, 385819 bytes (376.78 KiB)
''')
    o.pack('none',None,[],'Worker trn-w-1 was preempted in the middle and came back, the coordinator retried its closures and finished all 62 epochs ("fertig", Deactivated successfully, model in the bucket); the job did not fail.',end+S.d+6000)
if __name__=='__main__':
    for n in (sys.argv[1:] or ['e03','e12']): ALL[n](); print(n,'ok')

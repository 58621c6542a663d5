from pk import *
d=load('K'); H=['ofen-a','ofen-b','ofen-c']
subs=[(rf'ipv4:127\.0\.0\.{11+k}:2201{k}',f'ipv4:192.168.40.{k+21}:6006') for k in range(3)]+[(rf'127\.0\.0\.{11+k}:2201{k}',f'{H[k]}:6006') for k in range(3)]+[('guss2.py','guss.py'),('/opt/incidents/make/','/opt/guss/'),('/opt/tfenv','/opt/guss/py'),('/root/.pyenv/versions/3.11.7','/usr/local')]
P=post(d,'2026-03-30T13:20:07+02:00',2,subs); files={}; r=R(41)
def uhr(l):
    def f(m):
        t=dt.datetime.strptime('2026-11-28 '+m[2]+'+0000','%Y-%m-%d %H:%M:%S%z').timestamp(); return m[1]+P.dt(t).strftime('%H:%M:%S')
    return re.sub(r'^(GUSS\[\d\] )(\d\d:\d\d:\d\d)',f,l)
for i,p in enumerate(d['procs']):
    h=H[i]; pid=[2210,2195,3344][i]; out=[]
    def j(t,idn,msg,pri=6,pid=1): out.append((t,json.dumps({'__REALTIME_TIMESTAMP':str(int((t+P.shift)*1e6)),'_HOSTNAME':h,'SYSLOG_IDENTIFIER':idn,'_PID':str(pid),'PRIORITY':str(pri),'MESSAGE':msg},ensure_ascii=False)))
    for t,k,l in p['lines']: j(t,'guss.sh',P.line(uhr(l),0,tids(pid-p['pid'])),6 if k=='out' else 6,pid)
    e=p['end']
    if i==2:
        j(e-.3,'kernel','python[3391]: segfault at 7f11d4c00000 ip 00007f12a3b7f139 sp 00007f11e5ff8a50 error 6 in libentzerr.so[7f12a3b7f000+1000] likely on CPU 5 (core 5, socket 0)',6,0)
        j(e-.3,'kernel','Code: 00 00 0f 1f 44 00 00 f3 0f 10 05 c8 0e 00 00 f3 0f 10 0d c4 0e 00 00 48 8d 87 80 00 00 00 48 89 c2 f3 0f 10 00 f3 0f 59 c1 f3 0f 58 c0 <f3> 0f 11 00 48 83 c0 04',6,0)
        j(e+.1,'systemd','guss.service: Main process exited, code=dumped, status=11/SEGV',5)
        j(e+.12,'systemd',"guss.service: Failed with result 'core-dump'.",4)
    else:
        j(e+.05,'systemd','guss.service: Main process exited, code=exited, status=1/FAILURE',5); j(e+.06,'systemd',"guss.service: Failed with result 'exit-code'.",4)
    for _ in range(330):
        t=p['t0']+r.uniform(-3000,60); q=r.choice([('opcua-brücke','Sitzung erneuert, 214 Knoten abonniert',6),('opcua-brücke','BadTimeout beim Lesen ns=2;s=Ofen3.Temp, Wiederholung',4),('kernel','usb 2-1: USB disconnect, device number %d'%r.randint(3,90),6),('röntgen-gw','Bild RX%d%05d abgelegt (32x32 Kachel)'%(i,r.randint(1,1999)),6),('thermald','Unsupported cpu model or platform',4),('avahi-daemon','Server startup complete. Host name is %s.local.'%h,6)]); j(t,q[0],q[1],q[2],r.randint(400,3000))
    out.sort(key=lambda x:x[0]); files[f'{h}.journal.json']=[x for _,x in out]
    files[f'{h}_aufnahmen.csv']=open(f'/opt/incidents/run/K/aufnahmen_{i}.csv').read()
e=P.dt(d['procs'][2]['end'])
files['ofen-c.coredumpctl.txt']=f'''           PID: 3344 (python)
           UID: 998 (guss)
           GID: 998 (guss)
        Signal: 11 (SEGV)
     Timestamp: {e:%a %Y-%m-%d %H:%M:%S} CEST (1h 12min ago)
  Command Line: /opt/guss/py/bin/python /opt/guss/guss.py
    Executable: /usr/local/bin/python3.11
 Control Group: /system.slice/guss.service
          Unit: guss.service
         Slice: system.slice
      Hostname: ofen-c
       Storage: none
       Message: Process 3344 (python) of user 998 dumped core.

                Module libentzerr.so without build-id.
                Stack trace of thread 3391:
                #0  0x00007f12a3b7f139 entzerren (libentzerr.so + 0x1139)
                #1  0x00007f12b8c51e2e n/a (libffi.so.8 + 0x7e2e)
                #2  0x00007f12b8c4e493 n/a (libffi.so.8 + 0x4493)
                #3  0x00007f12b8d2c8a1 n/a (_ctypes.cpython-311-x86_64-linux-gnu.so + 0x128a1)
                #4  0x00007f12c9a0f6c2 _PyObject_MakeTpCall (libpython3.11.so.1.0 + 0x1f16c2)
                ELF object binary architecture: AMD x86-64
'''
files['Notiz.txt']='Lauf am Montag abgebrochen. ofen-a meldet Socket closed und ofen-b Herzschlag weg. OPC-UA hatte gleichzeitig Timeouts.\nKern wird nicht gespeichert (Storage=none).\n'
mk('giesserei-13-03','.tar.xz',files,'process.segfault','ofen-c',['user.code-error'],"ofen-c (task 2) dies of SIGSEGV in the team's own libentzerr.so (faulthandler dump, kernel segfault line, status=11/SEGV); its aufnahmen.csv has one height of 1048608 instead of 32. ofen-a's Socket closed and ofen-b's heartbeat error are consequences; OPC-UA timeouts are noise.")

from asm import *
B=base('/opt/botones','/opt/tagua-venv'); H=['piquero','fragata','albatros']
def ps(p): return [('127.0.0.1:%d'%x,'192.168.40.1%d:3344'%(i+1)) for i,x in enumerate(p)]
S=[('run/ck','/opt/botones/ck'),('data/ok/*','/datos/tagua/oct/*'),('part-0','tagua-0')]
# a1
te=err_t('a1','w0','Shape mismatch'); T=ep('2026-10-06 09:14:37',-5)
r='manta-0417'
shutil.rmtree(ST+r,ignore_errors=True)
for i,h in enumerate(H): put(r,'%s.txt'%h,['[operador@%s botones]$ ./lanzar.sh %d\n'%(h,i)]+lines(R+'a1/w%d.log'%i,te,T,2,-5,B+ps([21011,21012,21013])+S)+['[operador@%s botones]$ \n'%h])
put(r,'chat_whatsapp.txt','''[6/10/26, 9:22:10] Nelly Tagua: buenos días, ya cargué la clasificadora de botones en las tres y se cae apenas empieza
[6/10/26, 9:22:41] Nelly Tagua: en las 3 sale lo mismo, socket y UNKNOWN y no sé qué de gRPC
[6/10/26, 9:25:03] Ing. Zambrano: es la red, ayer cambiaron el switch del galpón 2
[6/10/26, 9:25:30] Ing. Zambrano: reinicia el switch
[6/10/26, 9:31:12] Nelly Tagua: reiniciado, lo mismo
[6/10/26, 9:33:58] Joffre: la semana pasada corría. El viernes Wilmer agregó "cacho" al muestrario pero eso es solo la lista
[6/10/26, 9:34:20] Joffre: les mando lo que copié de cada pantalla, ping bien entre todas
''')
put(r,'ping.txt',''.join('PING 192.168.40.1%d (192.168.40.1%d) 56(84) bytes of data.\n'%(j,j)+''.join('64 bytes from 192.168.40.1%d: icmp_seq=%d ttl=64 time=0.%d ms\n'%(j,k,random.Random(j*9+k).randint(210,490)) for k in range(1,6))+'\n--- 192.168.40.1%d ping statistics ---\n5 packets transmitted, 5 received, 0%% packet loss, time 4080ms\n\n'%j for j in (2,3)))
pack(r,'manta-0417.tar.gz','tar.gz')
truth(r,r+'.tar.gz','collective.mismatch',['albatros','worker:2'],['data.shape-mismatch'],'Worker 2 (albatros) was started with --classes 7 (others 6), so its Dense layer is [32,7] and the initial broadcast of variables fails with a shape mismatch in all three processes. Chat blames a replaced switch; pings are fine.')
# a3
te=err_t('a3','w2','Bus error'); T=ep('2026-10-20 16:40:12',-5); r='manta-0433'
shutil.rmtree(ST+r,ignore_errors=True)
SS=B+ps([21031,21032,21033])+S+[('entrenar3.py','entrenar.py'),('--cache m1','--cache /dev/shm'),('--cache m2','--cache /dev/shm'),(' m1/',' /dev/shm/'),(' m2/',' /dev/shm/')]
for i,h in enumerate(H):
    L=lines(R+'a3/w%d.log'%i,te,T,6,-5,SS)
    put(r,'%s/salida.log'%h,L)
put(r,'albatros/df.txt','''Filesystem      Size  Used Avail Use% Mounted on
overlay         230G   88G  131G  41% /
tmpfs            64M     0   64M   0% /dev
shm              64M   64M     0 100% /dev/shm
/dev/nvme0n1p2  230G   88G  131G  41% /datos
''')
put(r,'albatros/ls_shm.txt','''total 65536
-rw-r--r-- 1 root root 29491200 Oct 19 21:03 botones_0.f32
-rw-r--r-- 1 root root 29491200 Oct 19 21:55 botones_1.f32
-rw-r--r-- 1 root root  9830400 Oct 20 16:40 botones_2.f32
-rw------- 1 root root  1638400 Oct 19 21:03 psm_5a1c09e2
''')
put(r,'fragata/df.txt','''Filesystem      Size  Used Avail Use% Mounted on
overlay         230G   61G  158G  28% /
tmpfs            64M     0   64M   0% /dev
shm              64M   15M   50M  23% /dev/shm
/dev/nvme0n1p2  230G   61G  158G  28% /datos
''')
put(r,'LEEME.txt','''Corrida del martes en la tarde. Se cae todo a los pocos segundos.
Piquero y fragata dicen que no pueden conectarse (Connection refused), por eso creo
que es el firewall de albatros (Wilmer instaló ufw el domingo). Lo de "Extension modules"
no lo entiendo. Las tres corren dentro del contenedor de siempre.
 - Joffre
''')
put(r,'albatros/ufw.txt','Status: inactive\n')
pack(r,'manta-0433.zip','zip')
truth(r,r+'.zip','resource.shm-exhausted',['albatros','worker:2'],['process.segfault'],'albatros (worker 2) dies with SIGBUS while filling a memmap in /dev/shm; df shows the 64M shm full because of leftover cache files. The survivors only show connection refused; the ufw theory is refuted by its status inactive.')
# a2
te=1795850102.962; T=ep('2026-11-09 11:20:00',-5); r='manta-0451'
shutil.rmtree(ST+r,ignore_errors=True)
import re
SS=B+ps([21021,21022,21023])+S
for i,h in enumerate(H):
    if i==1:
        L=[l for l in lines(R+'a2/w1.log',te,T,10,-5,SS,msre=r'(?<=\()(\d+) (ms)')]
        k=max(j for j,l in enumerate(L) if 'paso' in l); L=L[:k+1]
    else: L=lines(R+'a2/w%d.log'%i,te,T,10,-5,SS,msre=r'(?<=\()(\d+) (ms)')
    put(r,'%s.txt'%h,L)
pt=open(R+'a2/ps.txt').read().splitlines()
def row(l):
    f=l.split(None,5); return '%7s %-4s %-20s %11s %s %s\n'%(f[0],f[1],f[2],'05:12',f[4],'/opt/tagua-venv/bin/python /opt/botones/entrenar.py --data /datos/tagua/oct/* --spe 75 --epochs 9')
put(r,'ps_fragata.txt',['    PID STAT WCHAN                    ELAPSED     TIME CMD\n',row(pt[2])])
st=open(R+'a2/status.txt').read(); put(r,'proc_status_fragata.txt',st)
put(r,'pyspy_fragata.txt',[l.replace('run/entrenar.py','/opt/botones/entrenar.py').replace('/opt/tfenv/bin','/opt/tagua-venv/bin').replace('data/ok/*','/datos/tagua/oct/*').replace('/root/.pyenv/versions/3.11.7/bin','/usr/bin').replace('/opt/incidents/make/run','/opt/botones') for l in open(R+'a2/pyspy1.txt')])
put(r,'chat_whatsapp.txt','''[9/11/26, 11:24:02] Nelly Tagua: se cayó piquero y albatros, fragata no da error, se quedó ahí en el mismo paso
[9/11/26, 11:24:40] Joffre: dice "tasks have crashed" pero en fragata el proceso existe. y ping ok
[9/11/26, 11:25:15] Ing. Zambrano: el switch otra vez
[9/11/26, 11:26:00] Wilmer: yo estuve en fragata a las 11:20 arreglando la impresora de etiquetas, no toqué nada del botones, cerré mi sesión y ya
[9/11/26, 11:27:48] Joffre: corrí ps y py-spy (nonblocking) en fragata, adjunto
''')
pack(r,'manta-0451.tgz','tgz')
truth(r,r+'.tgz','sync.hang',['fragata','worker:1'],['process.killed-by-signal'],'Worker 1 on fragata is in state T (do_signal_stop): somebody stopped the process, it makes no progress and sends no heartbeats, so the two others abort. It never crashed; the switch and the ping are innocent.')

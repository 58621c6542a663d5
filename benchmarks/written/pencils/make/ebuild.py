from kit import *
random.seed(51)
N=['montecristi','pile','sigsig','chordeleg']; 
IP={f'127.0.0.{11+i}':f'10.20.7.{11+i}' for i in range(4)}
subs=PY+[(re.escape(a),b) for a,b in IP.items()]+[(r'(?<![\d.]):?221[12]\d(?!\d)',lambda x:(':' if x[0][0]==':' else '')+'2222')]
st='%d/%m %H:%M:%S.%3'
P=lambda t,m: post(t,m,st,subs=subs,tzh=-5)
W=lambda t,f='%H:%M:%S': fmt(t-5*3600,f)
def pssh(n,t,host,rc=0): return f'[{n}] {W(t)} [SUCCESS] {host}\n' if rc==0 else f'[{n}] {W(t)} [FAILURE] {host} Exited with error code {rc}\n'
what=sys.argv[1]
if what=='e1':
    D=f'{B}/E/e1'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
    raw=[rd(f'{B}/E/raw/e1_{i}') for i in range(3)]; T=ep('2026-05-21 15:02:30')+.5
    m=Map(firstts(raw[0]),T,2e9,2e9,1)
    o=f'Script started on 2026-05-21 10:01:12-05:00 [TERM="tmux-256color" TTY="/dev/pts/3" COLUMNS="171" LINES="44"]\n'
    o+='(tf) dolores@cuenca:~$ parallel-ssh -h maquinas -i "sha256sum tejido/ops/libtrama.so | cut -c1-16; stat -c %y tejido/ops/libtrama.so; g++ --version | head -1"\n'
    for k,(h,x) in enumerate([('sigsig','9d04ef1b6a7720c5\n2026-05-20 16:12:44.118204331 -0500\ng++ (Debian 12.2.0-14+deb12u1) 12.2.0'),('montecristi','9d04ef1b6a7720c5\n2026-05-20 16:12:44.118204331 -0500\ng++ (Debian 12.2.0-14+deb12u1) 12.2.0'),('pile','41c7be0f02d91a6e\n2026-05-21 09:48:03.551170014 -0500\ng++ (Debian 12.2.0-14+deb12u1) 12.2.0')]):
        o+=pssh(k+1,T-70,h)+x+'\n'
    o+='(tf) dolores@cuenca:~$ parallel-ssh -h maquinas -t 0 -o salida "cd tejido && ./lanza.sh --pasos 300 --trama /home/tejido/ops/libtrama.so > trama.log 2>&1"\n'
    te=m(lines(raw[1])[-1][0])+.6
    o+=pssh(1,te,'pile',1)
    o+='^C(tf) dolores@cuenca:~$ parallel-ssh -h maquinas -i "pkill -f clasifica.py; cat tejido/trama.log"\n'
    for k,(i,h) in enumerate([(1,'pile'),(0,'montecristi'),(2,'sigsig')]):
        o+=pssh(k+1,te+610,h)+P(raw[i],m).rstrip('\n')+'\n'
    o+='''(tf) dolores@cuenca:~$ ssh pile 'cd tejido/ops && cat Makefile; tail -4 ~/.bash_history'
TF_C := $(shell python -c "import tensorflow as tf; print(' '.join(tf.sysconfig.get_compile_flags()))")
TF_L := $(shell python -c "import tensorflow as tf; print(' '.join(tf.sysconfig.get_link_flags()))")
libtrama.so: trama.cc
	g++ -O2 -shared -fPIC $(TF_C) $(EXTRA) trama.cc -o $@ $(TF_L)
cd tejido/ops
git pull
EXTRA=-D_GLIBCXX_USE_CXX11_ABI=0 make -B
exit
(tf) dolores@cuenca:~$ # montecristi y sigsig esperan a pile?? los otros dos cargan la misma op sin queja. tf reinstalado en pile?
(tf) dolores@cuenca:~$ parallel-ssh -h maquinas -i "python -c 'import tensorflow as tf; print(tf.__version__)' 2>/dev/null"
'''
    for k,h in enumerate(['montecristi','pile','sigsig']): o+=pssh(k+1,te+700+k*.3,h)+'2.21.0\n'
    o+='(tf) dolores@cuenca:~$ exit\n\nScript done on 2026-05-21 10:16:40-05:00 [COMMAND_EXIT_CODE="0"]\n'
    w(f'{D}/typescript.cuenca',o,te+800)
    import lzma
    tar('cuenca-0521',D,'.tar.gz',top=False,owner=('dolores',1002))
    truth('cuenca-0521','.tar.gz','env.python-abi',['pile','worker:1'],['env.missing-library'],'On pile the custom op was rebuilt with the old C++11 ABI switch, so tf.load_op_library fails with undefined symbol ...OpDefBuilder4AttrESs; the other two have the older good build and wait for task 1. TensorFlow is 2.21.0 everywhere, so no version skew.')
if what=='e2':
    D=f'{B}/E/hormas2'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
    raw=[rd(f'{B}/E/raw/e2_{i}') for i in range(3)]; T=ep('2026-05-28 21:20:11')+.15
    for i in range(3):
        m=Map(firstts(raw[0]),T,2e9,2e9,1,skew=[0,-2.4,3.1][i])
        w(f'{D}/{N[i]}/clasifica.log',P(raw[i],m),T+30)
        w(f'{D}/{N[i]}/lanza.sh',f'''#!/bin/bash
# copiado a cada maquina; cambiar SOLO la linea INDICE
INDICE={[0,1,1][i]}
export TF_CONFIG='{{"cluster": {{"worker": ["montecristi:2222", "pile:2222", "sigsig:2222"]}}, "task": {{"type": "worker", "index": '$INDICE'}}}}'
exec python -u /home/tejido/clasifica.py "$@"
''',T-90000*(i!=2)-4000)
        w(f'{D}/{N[i]}/dmesg.txt','\n'.join(dmesgT(T-86400*[9,8.3,1.2][i]+k,x,-5) for k,x in [(0,'Linux version 6.1.0-28-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40) #1 SMP PREEMPT_DYNAMIC Debian 6.1.119-1 (2024-11-22)'),(.1,'Command line: BOOT_IMAGE=/boot/vmlinuz-6.1.0-28-amd64 root=/dev/mapper/vg0-raiz ro quiet'),(1,'x86/fpu: Supporting XSAVE feature 0x001: \'x87 floating point registers\''),(3,'EXT4-fs (dm-0): mounted filesystem with ordered data mode. Quota mode: none.'),(5,'e1000e 0000:00:1f.6 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx'),(5.2,'IPv6: ADDRCONF(NETDEV_CHANGE): eno1: link becomes ready'),(86400*2,'perf: interrupt took too long (2512 > 2500), lowering kernel.perf_event_max_sample_rate to 79500')] if not (i==2 and k>86400))+'\n',T+400)
    w(f'{D}/leeme.txt','''sigsig volvió ayer de la reparación (disco nuevo, le copié /home/tejido desde pile con rsync).
Desde entonces no arranca: dice que la tarea 1 "has likely restarted", pero pile no se ha reiniciado, uptime 8 días,
ni hay OOM ni nada en dmesg. Sigsig se queda callado. Lo lancé tres veces y siempre igual. ¿Será la memoria de pile?

Dolores
''',T+1200)
    p=f'{S}/cuenca-0528.zip'
    if os.path.exists(p): os.remove(p)
    subprocess.run(['zip','-qr',p,'hormas2'],cwd=f'{B}/E',check=True)
    truth('cuenca-0528','.zip','config.task-index',['sigsig'],['config.cluster-mismatch'],'sigsig got lanza.sh copied from pile with INDICE=1, so two machines register as worker 1 (sigsig even says its target is grpc://pile:2222) and task 2 is missing. The restarted-task message points at an innocent pile.')
if what=='e3':
    D=f'{B}/E/e3'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
    raw=[rd(f'{B}/E/raw/e3_{i}') for i in range(4)]
    a,b=stepspan(raw[0],'pasos [0-9]'); T=ep('2026-06-09 23:05:40')+.1; m=Map(firstts(raw[0]),T,a,b,520)
    w(f'{D}/maestro_montecristi.log',P(raw[0],m),m(b)+3)
    w(f'{D}/obrero_pile.log',P(raw[1],m),m(b)+3); w(f'{D}/obrero_sigsig.log',P(raw[2],m),m(b)+3)
    e=m(b)+.2
    w(f'{D}/chat.txt',f'''[10/6/26 07:12] Dolores: el modelo grande se cayó a las {W(e,'%H:%M')}. Lleno de "Connection refused" a 10.20.7.14
[10/6/26 07:12] Dolores: y antes "Failed to remove function remotely", cientos
[10/6/26 07:15] Wilson: .14 es chordeleg, el de los parámetros
[10/6/26 07:16] Wilson: lo prendo desde aquí? no contesta el ssh
[10/6/26 07:40] Dolores: el guardia dice que está prendido con la pantalla en el login. Don Aurelio estuvo en el cuarto anoche por lo de la bomba de agua
[10/6/26 07:41] Wilson: o se fue la luz, o se quedó sin memoria con la tabla de hormas, o alguien lo apagó. sin sus logs no sé
[10/6/26 07:43] Dolores: los dos obreros siguen vivos, esperando. adjunto los tres que tengo
''',e+30000)
    tar('cuenca-0610',D,'.tar.bz2',top=False,owner=('dolores',1002))
    truth('cuenca-0610','.tar.bz2','ps.unavailable',['chordeleg','ps:0','10.20.7.14'],['network.unreachable-peer'],'Hard: only chief and workers are logged; the parameter server chordeleg (ps task 0) began to refuse connections and the chief gave up with UnavailableError. Why the ps went is not in the archive (power, memory, a hand are mere guesses in the chat); the workers are alive.')
    print(W(e,'%F %T'))

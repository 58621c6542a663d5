from kit import *
random.seed(41)
IP={'127.0.0.11':'10.10.30.5','127.0.0.12':'10.10.30.11','127.0.0.13':'10.10.30.12','127.0.0.14':'10.10.30.13'}
subs=PY+[(re.escape(a),b) for a,b in IP.items()]+[(r'(?<![\d.]):?220[5-7]\d(?!\d)',lambda x:(':' if x[0][0]==':' else '')+'50551')]
def comp(name,text,m,ts=False,width=7):
    return '\n'.join(f'{name:<{width}}| '+post(L,m,subs=subs,tzh=9) for t,L in lines(text))+'\n'
what=sys.argv[1]
if what=='d1':
    D=f'{B}/D/d1'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
    raw={n:rd(f'{B}/D/raw/d1_{n}') for n in ['oya','hon','ura','yama']}
    a,b=stepspan(raw['yama'],'回 +[0-9]'); T=ep('2026-06-18 00:20:44')+.3
    m=Map(firstts(raw['oya']),T,a,b,260)
    for n,h in [('oya','oyaike'),('hon','ike-hon'),('ura','ike-ura'),('yama','ike-yama')]:
        w(f'{D}/{h}/compose.log',comp(n+'-1',raw[n],m),m(b)+600)
    base='''services:
  {n}:
    image: registry.ojiya.example/koi:26.06
    command: python -u -X faulthandler /opt/koi/ike.py
    network_mode: host
{shm}    restart: "no"
    volumes:
      - /opt/koi:/opt/koi:ro
    environment:
      IKE: {n}
      OYA: oyaike:50551
      YOMI: shm
      MAISUU: "180"
      MAI: "20"
      GOTO: "4"
'''
    for n in ['hon','ura','yama']: w(f'{D}/ike-{n}/compose.yaml',base.format(n=n,shm='' if n=='yama' else '    shm_size: 1gb\n'),ep('2026-06-17 07:00:00'))
    e=m(b)+1; W=lambda t:fmt(t+9*3600,'%Y-%m-%d %H:%M:%S')
    ago=lambda t:'2 hours ago'
    w(f'{D}/ike-yama/ps.txt',f'''yama:~/koi$ docker compose ps -a
NAME         IMAGE                              COMMAND                  SERVICE   CREATED       STATUS                       PORTS
koi-yama-1   registry.ojiya.example/koi:26.06   "python -u -X faulth…"   yama      4 hours ago   Exited (135) 2 hours ago
yama:~/koi$ free -m
               total        used        free      shared  buff/cache   available
Mem:           31869        1820       24110          12        6402       30049
Swap:           2047           0        2047
yama:~/koi$ df -h
Filesystem      Size  Used Avail Use% Mounted on
tmpfs           3.2G  1.3M  3.2G   1% /run
/dev/sda2       234G  148G   75G  67% /
tmpfs            16G     0   16G   0% /dev/shm
''',e+7200)
    w(f'{D}/メモ.txt',f'''山の池(ike-yama)だけ落ちる件

・{W(e)[11:16]} 頃に yama が「Fatal Python error: Bus error」。親は 25 秒待って hon と ura も終了
・昨日 yama を追加。MAISUU=180 は三台とも同じ。compose は hon のを写した(手で打った)
・前に MAISUU=40 で試した時は yama も一晩動いた
・佐藤さんの見立て: メモリ(DIMM)不良では? → memtest 予定。メモリは余っている
・ディスクも余っている
''',e+9000)
    tar('ojiya-0618',D,'.tar.gz',top=False,owner=('koi',1000))
    truth('ojiya-0618','.tar.gz','resource.shm-exhausted',['ike-yama','yama','koi-yama-1','yama-1'],[],'ike-yama dies of SIGBUS (exit 135) writing to multiprocessing shared memory: 180 x 921600 bytes do not fit the 64 MB default /dev/shm, because its compose file lacks shm_size: 1gb which the others have. Peers then time out at the averaging server; bad DIMM is a wrong guess and the host df of /dev/shm misleads.')
if what=='d2':
    D=f'{B}/D/d2'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
    o=''
    r0={n:rd(f'{B}/D/raw/d0_{n}') for n in ['oya','hon','ura','yama']}; r2={n:rd(f'{B}/D/raw/d2_{n}') for n in ['oya','hon','ura','yama']}
    a,b=stepspan(r0['hon'],'回 +[0-9]'); m0=Map(firstts(r0['oya']),ep('2026-07-02 05:11:02')+.7,a,b,300)
    T=ep('2026-07-02 23:40:19')+.2; m2=Map(firstts(r2['oya']),T,2e9,2e9,1)
    for n in ['oya','hon','ura','yama']:
        o+=f'##### {"oyaike" if n=="oya" else "ike-"+n} : docker compose logs --tail=400\n'
        x=comp(n+'-1',r0[n],m0)+comp(n+'-1',r2[n],m2); o+='\n'.join(x.rstrip('\n').split('\n')[-400:])+'\n\n'
    o+='''##### 補足 (高野)
3 日朝。幅 384 は完走。1280 に広げたら三池とも 1 回目で RESOURCE_EXHAUSTED。
GPU は積んでいないし、メモリは hon 64G ura 32G yama 32G で空いている。oyaike が小さい (4G) からだろうか。
oyaike のメモリ増設を頼む予定。親のログには何も出ていない。
'''
    w(f'{D}/koi-log-0703.txt',o,T+30000)
    p=f'{S}/ojiya-0703.zip'
    if os.path.exists(p): os.remove(p)
    subprocess.run(['zip','-qr',p,'koi-log-0703.txt'],cwd=D,check=True)
    truth('ojiya-0703','.zip','network.grpc-message-size',None,[],'The wider model (HABA=1280, 4.28 MB of weights) exceeds gRPC\'s default 4 MB receive limit of the averaging server, so all three ponds get RESOURCE_EXHAUSTED in round 1. The note takes it for a lack of memory on oyaike; none of the three is first to blame.')
if what=='d3':
    D=f'{B}/D/d3'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
    A={n:rd(f'{B}/D/raw/d3a_{n}') for n in ['oya','hon','ura']}; Z={n:rd(f'{B}/D/raw/d3b_{n}') for n in ['oya','hon','ura']}
    a,b=stepspan(A['hon'],'回 [0-9]'); ma=Map(firstts(A['oya']),ep('2026-09-28 08:02:33')+.1,a,b,400); mz=Map(firstts(Z['oya']),ep('2026-09-30 01:15:07')+.8,2e9,2e9,1)
    for n,h in [('oya','oyaike'),('hon','ike-hon'),('ura','ike-ura')]:
        w(f'{D}/0928/{h}.log',comp(n+'-1',A[n],ma),ma(b)+10); w(f'{D}/0930/{h}.log',comp(n+'-1',Z[n],mz),mz(firstts(Z['oya']))+3000)
    w(f'{D}/README.txt','''9/28 旧血統表 (kettou_2019.npy) … 正常
9/30 新血統表 (kettou_2026.npy) … hon, ura とも開始できず

新しい表は NAS (nas1:/kettou) の NFS 経由。コピー中に壊れた? sha256 は一致した。
/srv/kettou の残り 12G。NAS は先週ファーム更新したばかり。
oya は待っているだけ。
                                       高野
''',ep('2026-09-30 02:10:00'))
    tar('ojiya-0930',D,'.tar.xz',top=False,owner=('koi',1000))
    truth('ojiya-0930','.tar.xz','serialization.graph-too-large',None,['user.code-error'],'Legacy TF1 code embeds the pedigree table as tf.constant; the 2026 table is 2.37 GB, over protobuf\'s 2 GB: Cannot create a tensor proto whose content is larger than 2GB. Both workers fail alike; NFS, NAS firmware and a corrupted copy are wrong guesses.')

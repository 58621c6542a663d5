from kit import *
N=['dvorak','martinu','suk']; IP={'127.0.0.11':'192.168.40.21','127.0.0.12':'192.168.40.24','127.0.0.13':'192.168.40.25'}
subs=PY+[(re.escape(a),b) for a,b in IP.items()]+[(r':217[0-9]\d',':2222')]
D=f'{B}/A/basy'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
raw=[rd(f'{B}/A/raw/a3_{i}').replace(' AVX512_BF16 FMA',[' AVX512_BF16 AVX512_FP16 AVX_VNNI AMX_TILE AMX_INT8 AMX_BF16 FMA',' AVX512_BF16 FMA',' FMA'][i]) for i in range(3)]
a,b=stepspan(raw[0],'krok +[0-9]'); 
for i,h in enumerate(N):
    m=Map(firstts(raw[0]),ep('2026-12-08 16:44:52')+.2,a,b,310,skew=[0,0,-41.3][i])
    w(f'{D}/uc.{h}.log',post(raw[i],m,subs=subs,tzh=1),m(b)+3)
e=Map(firstts(raw[0]),ep('2026-12-08 16:44:52')+.2,a,b,310)(b); print(fmt(e,'%F %T'))
L=[x for x in raw[0].split('\n') if 'krok ' in x and 'vz/s' in x]
sp=[float(re.search(r'([\d.]+) vz/s',x)[1]) for x in L]; k=min(range(20,len(sp)),key=lambda i:sp[i]); print(k,sp[k],L[k])
w(f'{D}/dotaz.txt',f'''Pavle,

basové desky včera navečer. Doběhlo to prý, ale moc tomu nevěřím:

 1. u kroku {(k+1)*10} to na chvíli zpomalilo (zhruba na {sp[k]:.0f} vz/s místo obvyklých sto až dvou set), pak zase dobré
 2. na konci každého stroje je "Error occurred when finalizing GeneratorDataset iterator: FAILED_PRECONDITION"
    a "The process may be terminated" - takže to někdo sestřelil?
 3. ztráta skáče, chvíli 0.007, hned zas 0.03
 4. suk má čas posunutý proti ostatním o 41 vteřin, chrony tam zase neběží. Může se kvůli tomu rozejít síť?
 5. dvořák píše "Waiting for 2/3 tasks", "Example stragglers"

Než to pošlu do voicingu, koukni prosím jestli ten běh není vadný. janáček je u opraváře, proto martinů a suk.

$ ls -l /srv/ladeni/basove/ck
-rw-r--r-- 1 ladeni ladeni   356 Dec  8 20:27 checkpoint
-rw-r--r-- 1 ladeni ladeni 11054 Dec  8 19:24 ckpt-1500.data-00000-of-00001
-rw-r--r-- 1 ladeni ladeni   459 Dec  8 19:24 ckpt-1500.index
-rw-r--r-- 1 ladeni ladeni 11054 Dec  8 19:56 ckpt-2000.data-00000-of-00001
-rw-r--r-- 1 ladeni ladeni   459 Dec  8 19:56 ckpt-2000.index
-rw-r--r-- 1 ladeni ladeni 11054 Dec  8 20:27 ckpt-2500.data-00000-of-00001
-rw-r--r-- 1 ladeni ladeni   459 Dec  8 20:27 ckpt-2500.index

(ckpt-500 a 1000 zmizely!)

Zdeněk
''',e+30000)

tar('HK-2240',D,'.tar.gz',owner=('zdenek',1003))
truth('HK-2240','.tar.gz','none',None,[],'Healthy: all three workers reach step 2600 with falling, identical losses and end normally. One short slow step around 930, the GeneratorDataset FAILED_PRECONDITION warning at interpreter exit, a clock off by 41 s, start-up straggler lines and rotated checkpoints (max_to_keep=3) only look suspicious.')

import shutil,os,sys,re; sys.path.insert(0,'/opt/incidents/make'); from deliver import *
import datetime
B='/opt/incidents/run/b_x'; R='/opt/incidents/run/t3x'; shutil.rmtree(B,ignore_errors=True); os.makedirs(B)
shutil.copy(R+'/orkiestra.log',B+'/orkiestra.log'); shutil.copy('/opt/incidents/make/t3/intonacja.py',B)
D=-9*86400+4*3600+777
def shift(p,t):
    t=re.sub(r'(?m)^(2026-11-28T\d\d:\d\d:\d\d)\.(\d{3})',lambda m:(datetime.datetime.fromisoformat(m[1])+datetime.timedelta(seconds=D)).isoformat()+'.'+m[2],t)
    return re.sub(r'00:00:(17958\d{5})\.',lambda m:f'00:00:{int(m[1])+D}.',t)
sub_tree(B,[(r'/opt/tfenv/lib/python3\.11','/usr/local/lib/python3.11'),(r'/opt/incidents/make/t3/','/praca/'),(r'/opt/incidents/run/t3x/plan.json','/praca/plan.json'),(r'/opt/incidents/run/t3x/rejestry.txt','/etc/organy/rejestry.txt')],fn=shift)
st=open(B+'/orkiestra.log').read(); t0=datetime.datetime.fromisoformat(st[:19])
T=lambda s:(t0+datetime.timedelta(seconds=s)).strftime('%H:%M:%S')
def vm(h,hot):
    o=f"# vmstat -t 5 na {h}\nprocs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                CET\n"
    import random; random.seed(h)
    for s in range(-30,75,5):
        busy=hot and s>=20
        us=random.randint(93,97) if busy else (random.randint(22,34) if s>5 else random.randint(0,2))
        sy=100-us-random.randint(0,1) if busy else random.randint(1,4)
        o+=f"{random.randint(14,19) if busy else random.randint(0,3):2d}  0      0 {random.randint(2900,3300)*1000:7d} 210344 8211{random.randint(100,999)}    0    0    {random.randint(0,9)}   {random.randint(10,90)} {random.randint(3000,9000)} {random.randint(6000,15000)} {us:2d} {sy:2d} {max(0,100-us-sy):2d}  0  0 {t0.strftime('%Y-%m-%d')} {T(s)}\n"
    return o
for h in('warsztat1','warsztat2','strych','warsztat3'): open(f'{B}/vmstat_{h}.txt','w').write(vm(h,h=='strych'))
open(B+'/top_strych.txt','w').write(f"""top - {T(52)} up 19 days,  4:02,  0 users,  load average: 13,88, 7,40, 3,02
Tasks: 211 total,  17 running, 194 sleeping,   0 stopped,   0 zombie
%Cpu(s): 11,9 us,  3,1 sy, 84,8 ni,  0,0 id,  0,0 wa,  0,0 hi,  0,2 si,  0,0 st
MiB Mem :  15892,1 total,   3014,4 free,   4700,8 used,   8176,9 buff/cache
MiB Swap:   2048,0 total,   2048,0 free,      0,0 used.

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
""" + "".join(f" {22110+i*3} archiwum  20   0  614220  98412  14100 R  {24+i%5},{i%10}   0,6   0:{8+i%4:02d}.{10+i*5} flac\n" for i in range(14)) + "  21877 organy    25   5 4811204 612044 210144 R  11,0   3,8   0:19.40 python\n    912 root      20   0  212044   9120   7210 S   0,7   0,1  31:12.02 sshd\n")
open(B+'/uwaga.txt','w').write("""Trening trwa (log to kopia w trakcie), ale po pierwszych kilkudziesięciu krokach zrobił się kilka razy wolniejszy i tak już zostało. Ruch w sieci znikomy, błędów żadnych.
W logu "grad+sync" rośnie na maszynach warsztat*, więc myślę, że to sieć albo ten nowy switch w warsztacie (TP-Link, od poniedziałku).
Co to może być? Następny trening będzie miał 40 000 kroków i przy takim tempie nie zdąży przed odbiorem organów.
""")
deliver('pelplin-wolno2',B,'tar.gz','sync.straggler','strych',[], "From about 20 s on, strych spends several times more in przygotowanie (its own CPU work) than before, while on warsztat1-3 only grad+sync grows: they wait for strych. vmstat and top of strych show 14 flac encoders of another user taking the CPU. The new switch is a false lead; no error, the job only crawls.")

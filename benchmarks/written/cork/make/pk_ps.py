import shutil,os,sys,re,glob; sys.path.insert(0,'/opt/incidents/make'); from deliver import *
B='/opt/incidents/run/b_ps'; S='/opt/incidents/run/t2p'; shutil.rmtree(B,ignore_errors=True); os.makedirs(B)
shutil.copytree(S+'/registos/20261128-1714',B+'/registos/20261128-1714')
for f in('Makefile','cluster.json','tira.py','make.out'): shutil.copy(f'{S}/{f}',B)
os.makedirs(B+'/maquinas')
def maq(h,mem,extra,ps):
    return f"""### {h}  recolhido por ver_maquina.sh  28/11/2026 17:41 WET
## uptime
 17:41:0{len(h)%9} up 63 days,  2:10,  1 user,  load average: 0,{len(h)}1, 0,{len(h)}4, 0,22
## free -m
               total        used        free      shared  buff/cache   available
Mem:           32011       {mem}       21009          18        {9800-mem%700}       {29800-mem}
Swap:           4095          12        4083
## df -h /
/dev/sda2        98G   41G   53G  44% /
## dmesg -T | tail
[qua nov 25 08:00:13 2026] audit: type=1400 audit(1795593613.120:77): apparmor="STATUS" operation="profile_replace" profile="unconfined" name="/usr/sbin/cupsd" pid=2311 comm="apparmor_parser"
[sex nov 27 19:22:40 2026] e1000e 0000:00:1f.6 enp0s31f6: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: None
{extra}## journalctl --since 17:10 --until 17:20
{ps}
"""
J=lambda h:f"nov 28 17:14:54 {h} sshd[{1300+len(h)*71}]: Accepted publickey for rolhas from 10.71.2.2 port {41000+len(h)*37} ssh2\nnov 28 17:14:54 {h} systemd-logind[611]: New session {210+len(h)} of user rolhas.\nnov 28 17:17:01 {h} CRON[{9000+len(h)}]: pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)"
for h,m,e in (('montijo',1420,''),('coruche',1380,''),('ponte-sor',2210,'[sáb nov 28 11:02:17 2026] perf: interrupt took too long (3171 > 3137), lowering kernel.perf_event_max_sample_rate to 63000\n'),('azaruja',2190,'[sáb nov 28 16:58:03 2026] Out of memory: Killed process 8842 (soffice.bin) total-vm:9211020kB, anon-rss:6120044kB, file-rss:0kB, shmem-rss:1204kB, UID:1002 pgtables:14120kB oom_score_adj:0\n'),('montado',2400,'')):
    j=J(h)
    if h=='coruche': j=j.replace('nov 28 17:17:01',f'nov 28 17:15:27 {h} sshd[1797]: Received disconnect from 10.71.2.2 port 41259:11: disconnected by user\nnov 28 17:15:27 {h} systemd-logind[611]: Session 217 logged out. Waiting for processes to exit.\nnov 28 17:17:01')
    open(f'{B}/maquinas/{h}.txt','w').write(maq(h,m,e,j))
open(B+'/mensagem.txt','w').write("""Boa tarde,
O treino das classes de rolha parou a meio (volta 76 de 120) pelas cinco e um quarto. O make diz Error 137 e depois Error 1.
Vi no azaruja um "Out of memory" pelas 16:58, mas era o LibreOffice da Fátima. Pode ter sido isso outra vez?
Depois de parar fiz kill aos que ficaram pendurados (montijo, ponte-sor, azaruja), por isso o make acaba com Terminated.
Não mexi em nada no coruche e ninguém admite ter lá ido.
Cumprimentos, Rui / Cortiças do Sorraia
""")
sub_tree(B,[(r'/opt/tfenv/lib/python3\.11','/home/rolhas/amb/lib/python3.11'),(r'/opt/incidents/run/t2p','/home/rolhas/treino'),(r'/opt/tfenv/bin/','/home/rolhas/amb/bin/')])
deliver('sorraia-28nov',B,'tar.bz2','ps.unavailable','coruche',['process.killed-by-signal'], "Parameter server 1 on coruche was killed (Killed, make Error 137) at 17:15:26 by nobody known; its kernel log has no OOM. The chief then gets Connection refused from 10.71.2.11:3331 (/job:ps/replica:0/task:1) and ends, workers cancel their RecvTensor. The OOM kill of soffice.bin on azaruja at 16:58 is a false lead.")

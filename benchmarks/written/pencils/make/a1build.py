from kit import *
random.seed(11)
N=['dvorak','janacek','smetana']; IP={'127.0.0.11':'192.168.40.21','127.0.0.12':'192.168.40.22','127.0.0.13':'192.168.40.23'}
subs=PY+[(re.escape(a),b) for a,b in IP.items()]+[(r':217[0-9]\d',':2222')]
D=f'{B}/A/vylet-1126'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
def unit(host,text,m,pid,tzh=1,stop=None):
    o=[]
    for t,L in lines(text):
        o.append((m(t),f'uc-ladeni[{pid}]',post(L,m,subs=subs,tzh=tzh)))
    return o
def pidof(text): return int(re.search(r'uc\[(\d+)\]',text)[1])
daemons=['systemd[1]: Starting Daily apt download activities...','systemd[1]: apt-daily.service: Deactivated successfully.','systemd[1]: Finished Daily apt download activities.','CRON[{p}]: pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)','CRON[{p}]: (root) CMD (cd / && run-parts --report /etc/cron.hourly)','CRON[{p}]: pam_unix(cron:session): session closed for user root','salt-minion[811]: [WARNING ] TCP Publish Client encountered an exception while connecting to /var/run/salt/minion/minion_event_8a1_pull.ipc: StreamClosedError(\'Stream is closed\')','chronyd[702]: Selected source 192.168.40.1','smartd[690]: Device: /dev/sda [SAT], SMART Usage Attribute: 190 Airflow_Temperature_Cel changed from 67 to 66','systemd[1]: Starting Cleanup of Temporary Directories...','dhclient[655]: DHCPREQUEST for {ip} on enp3s0 to 192.168.40.1 port 67','dhclient[655]: DHCPACK of {ip} from 192.168.40.1']
import itertools
for i,h in enumerate(N):
    fl=lambda t: t.replace(' AVX512_BF16 FMA',' FMA' if i==1 else ' AVX512_BF16 AVX512_FP16 AVX_VNNI AMX_TILE AMX_INT8 AMX_BF16 FMA')
    old=fl(rd(f'{B}/A/raw/h{i}')); new=fl(rd(f'{B}/A/raw/a1_{i}'))
    a,b=stepspan(rd(f'{B}/A/raw/h0'),'krok +[0-9]')
    t0=firstts(rd(f'{B}/A/raw/h0'))
    mo=Map(t0,ep('2026-11-25 18:02:11')+.3,a,b,190); 
    mn=Map(firstts(rd(f'{B}/A/raw/a1_0')),ep('2026-11-26 07:41:36')+.6,2e9,2e9,1)
    ip=f'192.168.40.2{i+1}'; po,pn=pidof(old),pidof(new)
    ev=[(mo(t0)-3,'systemd[1]','Started uc-ladeni.service - učení modelu rezonančních desek.')]+unit(h,old,mo,po)
    e=ev[-1][0]; ev+=[(e+1,'systemd[1]','uc-ladeni.service: Deactivated successfully.'),(e+1,'systemd[1]',f'uc-ladeni.service: Consumed 2h {random.randint(21,38)}min {random.randint(1,59)}.{random.randint(100,999)}s CPU time.')]
    s=mn(firstts(new))-3
    ev+=[(s,'systemd[1]','Started uc-ladeni.service - učení modelu rezonančních desek.')]+unit(h,new,mn,pn)
    e=ev[-1][0]
    if i==1:
        ev+=[(e+.1,'kernel',f'traps: python[{pn+33}] trap invalid opcode ip:7fd2e4e46120 sp:7fd26d7a8b98 error:0 in libfiltr.so[1120,7fd2e4e46000+1000]'),
             (e+.2,'systemd[1]','uc-ladeni.service: Main process exited, code=killed, status=4/ILL'),(e+.2,'systemd[1]',"uc-ladeni.service: Failed with result 'signal'."),(e+.2,'systemd[1]','uc-ladeni.service: Consumed 4.871s CPU time.')]
    else:
        ev+=[(e+.8,'systemd[1]','uc-ladeni.service: Main process exited, code=exited, status=1/FAILURE'),(e+.8,'systemd[1]',"uc-ladeni.service: Failed with result 'exit-code'."),(e+.8,'systemd[1]',f'uc-ladeni.service: Consumed 5.{random.randint(100,999)}s CPU time.')]
    ev+=sysnoise(ep('2026-11-25 17:30:00'),ep('2026-11-26 07:02:00'),ip,seed=i+3)
    ev.sort(key=lambda x:x[0])
    txt='-- Journal begins at Tue 2026-06-02 09:14:51 CEST, ends at Thu 2026-11-26 08:01:44 CET. --\n' if h!='smetana' else ''
    txt+='\n'.join(jshort(t,h,k,m_,tzh=1) for t,k,m_ in ev)+'\n'
    w(f'{D}/{h}.journal.txt',txt,ep('2026-11-26 07:02:10'))
lsc={'dvorak':('Intel(R) Xeon(R) Silver 4510','207'),'janacek':('Intel(R) Xeon(R) Silver 4314 CPU @ 2.40GHz','106'),'smetana':('Intel(R) Xeon(R) Silver 4510','143')}
w(f'{D}/stroje.txt','''Stroje v učebně (inventura IT, září 2026)

jméno     pořízeno  CPU                                 RAM   disk        pozn.
dvorak    2025      2x Intel Xeon Silver 4510           128G  2x1.9T NVMe
smetana   2025      2x Intel Xeon Silver 4510           128G  2x1.9T NVMe  (tady se překládá)
janacek   2021      2x Intel Xeon Silver 4314 @ 2.40GHz  96G  SATA SSD     zlobí větrák, reklamace 8/26
suk       2021      1x Intel Xeon Silver 4314 @ 2.40GHz  64G  SATA SSD
martinu   2024      1x AMD EPYC 9124                     96G  NVMe
''',ep('2026-09-14 10:00:00'))
w(f'{D}/CTI_ME.txt','''Ahoj,

ve středu večer učení bez filtru doběhlo v pořádku (2000 kroků). Ve čtvrtek ráno jsem zapnul Pavlův nový
pásmový filtr (--filtr, libfiltr.so rozkopírovaný saltem z /srv/build na všechny tři) a skončí to do 15 sekund.

Na dvořákovi a smetanovi je "Connection refused", takže hádám switch v hale B nebo firewall po
úterní aktualizaci?? Pavel tvrdí, že u něj filtr projde i 10 milionů vzorků bez chyby.

přikládám žurnály ze všech tří (journalctl --since "2026-11-25 18:30").

  Zdeněk / lisovna desek
''',ep('2026-11-26 07:12:00'))
tar('HK-2217',D,'.tar.xz',owner=('zdenek',1003))
truth('HK-2217','.tar.xz','env.illegal-instruction',['janacek','worker:1','192.168.40.22'],[],'The new native filter libfiltr.so (built on the 2025 Xeon smetana) uses AVX512-FP16 that the 2021 janacek lacks; kernel says trap invalid opcode, systemd status=4/ILL. The survivors only see connection refused; the mail blames the switch or firewall.')
# A2
D=f'{B}/A/a2'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
o=[]
for i,h in [(1,'janacek'),(0,'dvorak'),(2,'smetana')]:
    fl=lambda t: t.replace(' AVX512_BF16 FMA',' FMA' if i==1 else ' AVX512_BF16 AVX512_FP16 AVX_VNNI AMX_TILE AMX_INT8 AMX_BF16 FMA')
    old=fl(rd(f'{B}/A/raw/h{i}')).split('\n'); new=fl(rd(f'{B}/A/raw/a2_{i}'))
    mo=Map(firstts(rd(f'{B}/A/raw/h0')),ep('2026-11-25 18:02:11')+.3,*stepspan(rd(f'{B}/A/raw/h0'),'krok +[0-9]'),190)
    mn=Map(firstts(rd(f'{B}/A/raw/a2_0')),ep('2026-12-01 13:20:05')+.1,2e9,2e9,1)
    txt=post('\n'.join(old),mo,subs=subs,tzh=1).rstrip('\n')+'\n'+post(new,mn,subs=subs,tzh=1).rstrip('\n')
    L=txt.split('\n')[-260:]
    o.append(f'{h}.ladirna.lan:\n'+'\n'.join('    '+x for x in L))
w(f'{D}/vystup.txt',"zdenek@sklad:~$ sudo salt -L 'dvorak*,janacek*,smetana*' cmd.run 'tail -n 260 /var/log/ladeni/uc.log'\n"+'\n'.join(o)+'\nzdenek@sklad:~$ sudo salt -L \'dvorak*,janacek*,smetana*\' cmd.run \'df -h /srv/ladeni | tail -1; ls /srv/ladeni/uloha/ck\'\n'+'\n'.join(f'{h}.ladirna.lan:\n    sklad:/export/ladeni  3.6T  3.4T  214G  95% /srv/ladeni\n    checkpoint\n    ckpt-1000.data-00000-of-00001\n    ckpt-1000.index\n    ckpt-1500.data-00000-of-00001\n    ckpt-1500.index\n    ckpt-2000.data-00000-of-00001\n    ckpt-2000.index' for h in ['smetana','dvorak','janacek'])+'\n',ep('2026-12-01 12:31:00'))
w(f'{D}/mail.eml',f'''From: Zdenek Kubista <z.kubista@ladirna.example>
To: it@ladirna.example
Subject: Re: disk sklad skoro plny?
Date: Tue, 1 Dec 2026 13:40:22 +0100
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

Dobrý den,

pokračování středečního učení nejde obnovit, všechny tři stroje to vzdají hned po startu, ještě před
prvním krokem. Podle mě je to tím, že /srv/ladeni je na 95 % a ten checkpoint se ve středu nedopsal celý.
Můžete prosím uvolnit místo a vrátit ck z noční zálohy?

Pavel mezitím jen zkoušel větší síť na slabších tónech, ale to s tím nesouvisí.

Z. K.
''',ep('2026-12-01 12:41:00'))
tar('HK-2231',D,'.tgz',top=False,owner=('zdenek',1003))
truth('HK-2231','.tgz','checkpoint.mismatch',None,[],'Resuming with --sirka 64 from a checkpoint trained with --sirka 48: variable shape (64,64) against saved (64,48). All three workers fail alike, none first; the 95 % full NFS share and an alleged truncated checkpoint are guesses of the mail writer.')

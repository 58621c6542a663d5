import shutil,os,sys,random,glob; sys.path.insert(0,'/opt/incidents/make'); from deliver import *
B='/opt/incidents/run/b_t'; S='/opt/incidents/run/t1t'; shutil.rmtree(B,ignore_errors=True)
for h,r in zip(('ravn','ugle','hauk','falk'),range(4)):
    d=f'{B}/{h}'; os.makedirs(d+'/28-11-2026')
    shutil.copy(f'{S}/logg/rang{r}.log',f'{d}/28-11-2026/rang{r}.log'); shutil.copy(f'{S}/logg/vakt_{h}.log',f'{d}/28-11-2026/')
    shutil.copy(f'{S}/ss_{h}.txt',f'{d}/ss_tnio.txt'); shutil.copy(f'{S}/ip_{h}.txt',f'{d}/ip.txt')
random.seed(5)
def journal(h,last):
    o=[]; t=18*3600
    ip={'ravn':21,'ugle':22,'hauk':23,'falk':24}
    f=lambda s:f"nov. 28 {int(s)//3600:02d}:{int(s)//60%60:02d}:{int(s)%60:02d} {h} "
    ev=[]
    for k in range(0,900,60): ev.append((t+k+random.randint(0,9),f"CRON[{random.randint(3000,6000)}]: (root) CMD (/usr/local/bin/fjord-metrikk >/dev/null 2>&1)"))
    for k in range(0,900,97): ev.append((t+k+3,f"systemd[1]: Starting sysstat-collect.service - system activity accounting tool...")); ev.append((t+k+3,"systemd[1]: sysstat-collect.service: Deactivated successfully.")); ev.append((t+k+3,"systemd[1]: Finished sysstat-collect.service - system activity accounting tool."))
    for k in (140,455,700): ev.append((t+k,f"sshd[{4100+k}]: Accepted publickey for ingrid from 10.44.7.5 port {50000+k*13} ssh2: ED25519 SHA256:7gV0kq1pZr8u"))
    ev.append((t+212,"chronyd[702]: Selected source 10.44.0.1")); ev.append((t+402,"smartd[688]: Device: /dev/sdb [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from 116 to 115"))
    if h in('ugle','ravn'): ev.append((t+333,"kernel: igb 0000:03:00.1 eno2: igb: eno2 NIC Link is Down")); ev.append((t+336,"kernel: igb 0000:03:00.1 eno2: igb: eno2 NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX/TX"))
    base=t+9*60
    off={'ravn':20,'ugle':25,'falk':34,'hauk':46}[h]
    a=base+off-6; ap=random.randint(6000,7000)
    if h=='hauk':
        ev+= [(a,f"ansible-ansible.builtin.setup[{ap}]: Invoked with gather_subset=['min'] gather_timeout=10 filter=[] fact_path=/etc/ansible/facts.d"),(a+3,f"ansible-ansible.legacy.copy[{ap+22}]: Invoked with src=/root/.ansible/tmp/ansible-tmp-1795885785.1-91/source dest=/etc/nftables.conf mode=0644 owner=root backup=True"),(base+47,f"ansible-ansible.legacy.systemd[{ap+41}]: Invoked with name=nftables state=reloaded daemon_reload=False"),(base+48,"systemd[1]: Reloading nftables.service - nftables..."),(base+48,"systemd[1]: Reloaded nftables.service - nftables.")]
        for k,(src,spt,dpt) in enumerate([(21,7077,47732),(22,7077,36694),(24,36918,7077),(21,7077,47732),(24,36918,7077),(22,7077,36694),(24,36918,7077),(21,7077,47732),(22,7077,36694),(24,36918,7077),(21,7077,47732)]):
            ev.append((base+48+k*2.3,f"kernel: nft-inn-kast: IN=eth0 OUT= MAC=36:d0:50:ea:28:fe:be:4a:11:90:7c:{src:02x}:08:00 SRC=10.44.7.{src} DST=10.44.7.23 LEN={random.choice([52,80,187,340])} TOS=0x00 PREC=0x00 TTL=64 ID={random.randint(1000,60000)} DF PROTO=TCP SPT={spt} DPT={dpt} WINDOW={random.randint(60,512)} RES=0x00 ACK PSH URGP=0"))
        for k in range(30,400,37): ev.append((base+48+k,f"kernel: nft-inn-kast: IN=eth0 OUT= MAC=36:d0:50:ea:28:fe:be:4a:11:90:7c:18:08:00 SRC=10.44.7.{random.choice([21,22,24])} DST=10.44.7.23 LEN=52 TOS=0x00 PREC=0x00 TTL=64 ID={random.randint(1000,60000)} DF PROTO=TCP SPT={random.randint(33000,60000)} DPT=7077 WINDOW=63 RES=0x00 ACK URGP=0"))
    else: ev.append((a,f"ansible-ansible.builtin.setup[{ap}]: Invoked with gather_subset=['min'] gather_timeout=10 filter=[] fact_path=/etc/ansible/facts.d"))
    ev.sort(key=lambda e:e[0])
    return "\n".join(f(s)+m for s,m in ev)+"\n"
for h in ('ravn','ugle','hauk','falk'): open(f'{B}/{h}/journal_1800-1815.txt','w').write(journal(h,0))
open(B+'/hauk/etc_nftables.conf','w').write("""#!/usr/sbin/nft -f
# {{ ansible_managed }} rolle: grunnsikring v2.4  gruppe: kamerasoner
flush ruleset
table inet filter {
  set drift { type ipv4_addr; flags interval; elements = { 10.44.7.5, 10.44.0.0/28 } }
  chain input {
    type filter hook input priority filter; policy drop;
    iif lo accept
    ip protocol icmp accept
    tcp dport 22 accept
    ip saddr @drift accept
    tcp dport { 554, 8554, 9100 } accept
    limit rate 1/second burst 5 packets log prefix "nft-inn-kast: " drop
  }
  chain forward { type filter hook forward priority filter; policy drop; }
  chain output { type filter hook output priority filter; policy accept; }
}
""")
for h in('ravn','ugle','falk'): open(f'{B}/{h}/etc_nftables.conf','w').write("""#!/usr/sbin/nft -f
# rolle: grunnsikring v2.3  gruppe: beregning
flush ruleset
table inet filter {
  chain input {
    type filter hook input priority filter; policy drop;
    iif lo accept
    ct state established,related accept
    ip saddr 10.44.7.0/24 accept
    tcp dport 22 accept
    ip protocol icmp accept
  }
}
""")
open(B+'/notat.md','w').write("""# Sak 2214 – treningen røk 18:09, andre gang denne uka

* fire maskiner, ravn ugle hauk falk, alle står og lyser. `ping` mellom alle går fint (0 % tap, 0,3 ms).
* TF sier at task 2 er "crashed", men prosessen på hauk levde helt til den selv ga opp!
* Kameranettet (eno2) på ravn og ugle blinket 18:05. Er det det samme problemet som i mai?
* ss ble tatt ca 18:10:10 mens alt hang.
/Odd-Arne
""")
sub_tree(B,[(r'/opt/tfenv/lib/python3\.11','/opt/bio/venv/lib/python3.11'),(r'/opt/tfenv/bin/python','/opt/bio/venv/bin/python'),(r'/opt/incidents/make/t1/','/opt/bio/'),(r'link-netns \S+','link-netnsid 0'),(r'eth0@if\d+','eth0')])
deliver('raudeberg-sak2214',B,'tar.xz','network.timeout','hauk',[], "At 18:09:48 ansible loaded the wrong nftables rule set (group kamerasoner, no established accept, no 10.44.7.0/24) on hauk; its training packets are silently dropped (nft-inn-kast log, ss shows backoff:6 retransmissions with the link UP), heartbeats to the leader get DEADLINE_EXCEEDED and the others call task 2 crashed though it lived until it gave up itself. The eno2 camera-network flap on ravn and ugle four minutes before is a false lead.",top='sak2214')

from pack import *
import random
H=['tavba1','tavba2','tavba3']; IP={'tavba1':'10.40.8.21','tavba2':'10.40.8.22','tavba3':'10.40.8.23'}
def jr(S,h,f=None,extra=(),unit='sklo-trenink',pid=None,fmt=iso,skew=0,head=True):
    """journal of one host: training unit and clutter"""
    R=S.R; L=[]
    tl=S.timed(f,skew) if f else []
    t0=tl[0][0] if tl else S.t0+S.d+S.tz; t1=tl[-1][0] if tl else t0+60
    pid=re.search(r'(\d+) port.cc',S.raw(f)).group(1) if f else R.randint(2000,60000)
    if tl:
        L.append((t0-.4,'systemd[1]: Started sklo-trenink.service - Trenink detekce vad skla.'))
        for t,l in tl: L.append((t,f'{unit}[{pid}]: {l}'))
    t=t0-1500
    while t<t1+400:
        t+=R.expovariate(1/45)
        L.append((t,R.choice([f'systemd[1]: Started session-{int(t)%907}.scope - Session {int(t)%907} of User kovar.',
          f'CRON[{R.randint(9000,99999)}]: pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)',
          f'CRON[{R.randint(9000,99999)}]: (root) CMD (/usr/local/sbin/pec-teploty.sh >/dev/null 2>&1)',
          f'chronyd[811]: Selected source 10.40.1.1 (ntp.sklarna.local)',
          f'telegraf[1022]: {fmt(t)[:10]}T{datetime.datetime.fromtimestamp(t-3600,UTC).strftime("%H:%M:%S")}Z E! [inputs.modbus] Error in plugin: slave "chladici-pec": dial tcp 10.40.3.17:502: i/o timeout' if fmt is iso else 'chronyd[811]: Selected source 10.40.1.1 (ntp.sklarna.local)',
          'systemd[1]: Starting sysstat-collect.service - system activity accounting tool...',
          'systemd[1]: sysstat-collect.service: Deactivated successfully.',
          'systemd[1]: Finished sysstat-collect.service - system activity accounting tool.'])))
    for t,l in extra: L.append((t,l))
    L.sort(key=lambda x:x[0])
    return '\n'.join(f'{fmt(t)} {h} {l}' for t,l in L)
def thr():
    S=Set('SKL-2214','cz_thr','2026-10-06 14:02:11',tz=2)
    o=Set('SKL-2214x','cz_ok','2026-10-05 09:40:52',tz=2); shutil.rmtree(o.dir)
    te=S.at('exit tavba2')+S.d+S.tz
    ist=lambda t:iso(t,'+0200')
    for h in H:
        ex=[]
        if h=='tavba2':
            ex=[(te-.45,'kernel: cgroup: fork rejected by pids controller in /system.slice/sklo-trenink.service'),
                (te+.02,'systemd[1]: sklo-trenink.service: Main process exited, code=killed, status=6/ABRT'),
                (te+.03,"systemd[1]: sklo-trenink.service: Failed with result 'signal'."),
                (te+.03,'systemd[1]: sklo-trenink.service: Consumed 7.214s CPU time.')]
        else:
            t=S.at('still alive at end: '+h)+S.d+S.tz+900
            ex=[(t,'systemd[1]: Stopping sklo-trenink.service - Trenink detekce vad skla...'),(t+.8,'systemd[1]: sklo-trenink.service: Deactivated successfully.'),(t+.8,'systemd[1]: Stopped sklo-trenink.service - Trenink detekce vad skla.')]
        # yesterday's good run precedes
        a=jr(o,h,f'{h}.log',fmt=ist); b=jr(S,h,f'{h}.log',extra=ex,fmt=ist)
        S.write(f'zurnaly/{h}.txt',a+'\n'+b)
    S.write('systemctl_cat.txt','''tavba1 | CHANGED | rc=0 >>
# /etc/systemd/system/sklo-trenink.service
[Unit]
Description=Trenink detekce vad skla
After=network-online.target

[Service]
User=sklo
WorkingDirectory=/srv/sklo
EnvironmentFile=/etc/sklo/tf_config.env
ExecStart=/opt/sklo-venv/bin/python -u kod/trenuj.py $VOLBY
SyslogIdentifier=sklo-trenink

[Install]
WantedBy=multi-user.target
tavba3 | CHANGED | rc=0 >>
# /etc/systemd/system/sklo-trenink.service
[Unit]
Description=Trenink detekce vad skla
After=network-online.target

[Service]
User=sklo
WorkingDirectory=/srv/sklo
EnvironmentFile=/etc/sklo/tf_config.env
ExecStart=/opt/sklo-venv/bin/python -u kod/trenuj.py $VOLBY
SyslogIdentifier=sklo-trenink

[Install]
WantedBy=multi-user.target
tavba2 | CHANGED | rc=0 >>
# /etc/systemd/system/sklo-trenink.service
[Unit]
Description=Trenink detekce vad skla
After=network-online.target

[Service]
User=sklo
WorkingDirectory=/srv/sklo
EnvironmentFile=/etc/sklo/tf_config.env
ExecStart=/opt/sklo-venv/bin/python -u kod/trenuj.py $VOLBY
SyslogIdentifier=sklo-trenink

[Install]
WantedBy=multi-user.target

# /etc/systemd/system/sklo-trenink.service.d/50-hardening.conf
[Service]
NoNewPrivileges=yes
ProtectHome=yes
TasksMax=46
''')
    S.write('zprava.txt','''Ahoj Radku,

posilam zurnaly ze vsech tri tavebnich pocitacu (journalctl -u sklo-trenink + systemove, -o short-iso).
Vcera rano to jeste slapalo, dnes po obedu uz ne. tavba1 a tavba3 jen visi a nic nedelaji, tak jsem je po ctvrt
hodine zastavil. Podle me je to zase ten switch v hale B, telegraf na nem porad pise timeouty.
V pondeli vecer delal Standa na strojich nejake "utazeni" kvuli auditu, ale to se treninku netyka.

Jitka
''')
    S.pack('tar czf {o}.tar.gz *',dict(cause='resource.thread-limit',node=['tavba2','worker:1'],notes="TasksMax=46 from a hardening drop-in on tavba2: pthread_create fails with EAGAIN (11) in the TF gRPC server and the process aborts; tavba1 and tavba3 wait for the coordination service. Yesterday's healthy run and telegraf modbus timeouts (blamed switch) are red herrings.",also=['process.abort-check'][:0]))
def eio():
    S=Set('Vrbno_pec_0311','cz_eio','2026-03-11 02:13:40',tz=1)
    tf_=S.at('flag')+S.d+S.tz
    for h in H: S.write(f'{h}/trenink.log',S.log(f'{h}.log')); 
    R=S.R
    def boot(h):
        t=tf_-86400*R.uniform(3,30); L=[]
        for l in ['Linux version 5.14.0-503.11.1.el9_5.x86_64 (mockbuild@x64-builder02.almalinux.org) (gcc (GCC) 11.5.0 20240719 (Red Hat 11.5.0-2), GNU ld version 2.35.2-54.el9) #1 SMP PREEMPT_DYNAMIC','Command line: BOOT_IMAGE=(hd0,gpt2)/vmlinuz-5.14.0-503.11.1.el9_5.x86_64 root=/dev/mapper/alma-root ro crashkernel=1G-4G:192M,4G-64G:256M,64G-:512M rd.lvm.lv=alma/root rhgb quiet','x86/fpu: Supporting XSAVE feature 0x001: \'x87 floating point registers\'','DMI: Supermicro SYS-5019C-MR/X11SCM-F, BIOS 1.9 09/21/2022','ACPI: Core revision 20211217','PCI: Using configuration type 1 for base access','NET: Registered PF_INET protocol family','SCSI subsystem initialized','libata version 3.00 loaded.','ahci 0000:00:17.0: AHCI 0001.0301 32 slots 8 ports 6 Gbps 0xff impl SATA mode','ata1: SATA max UDMA/133 abar m2048@0xa1234000 port 0xa1234100 irq 125','ata3: SATA max UDMA/133 abar m2048@0xa1234000 port 0xa1234200 irq 125','ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)','ata3: SATA link up 6.0 Gbps (SStatus 133 SControl 300)','ata1.00: ATA-11: Samsung SSD 870 EVO 500GB, SVT02B6Q, max UDMA/133','ata3.00: ATA-10: ST4000NM0035-1V4107, TN05, max UDMA/133','sd 0:0:0:0: [sda] Attached SCSI disk','sd 2:0:0:0: [sdb] 7814037168 512-byte logical blocks: (4.00 TB/3.64 TiB)','sd 2:0:0:0: [sdb] Write Protect is off','sd 2:0:0:0: [sdb] Attached SCSI disk','XFS (dm-0): Mounting V5 Filesystem','XFS (dm-0): Ending clean mount','EXT4-fs (sdb1): mounted filesystem with ordered data mode. Quota mode: none.','igb 0000:03:00.0 eno1: igb: eno1 NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX','EDAC ie31200: No ECC support' if h=='tavba1' else 'input: PC Speaker as /devices/platform/pcspkr/input/input4','IPv6: ADDRCONF(NETDEV_CHANGE): eno1: link becomes ready']:
            L.append((t,l)); t+=R.uniform(0.01,.9)
        return L
    for h in H:
        L=boot(h)
        for k in range(R.randint(2,6)): L.append((tf_-R.uniform(3000,2e5),R.choice(['perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79000','usb 1-9: new low-speed USB device number 7 using xhci_hcd','usb 1-9: USB disconnect, device number 7','audit: type=1400 audit(0.0:0): apparmor="STATUS"' if 0 else 'hrtimer: interrupt took 13042 ns'])))
        if h=='tavba1': L.append((tf_-5400,'igb 0000:03:00.0 eno1: igb: eno1 NIC Link is Down')); L.append((tf_-5397,'igb 0000:03:00.0 eno1: igb: eno1 NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX'))
        if h=='tavba3':
            s0=1193046528
            for k in range(4):
                b=tf_-8.6+k*2.1
                L+= [(b,'ata3.00: exception Emask 0x0 SAct 0x40 SErr 0x0 action 0x0'),(b,'ata3.00: irq_stat 0x40000008'),(b,'ata3.00: failed command: READ FPDMA QUEUED'),
                 (b,f'ata3.00: cmd 60/00:30:00:a0:1c/01:00:47:00:00/40 tag 6 ncq dma 131072 in\n         res 41/40:00:48:a0:1c/00:00:47:00:00/00 Emask 0x409 (media error) <F>'),
                 (b,'ata3.00: status: { DRDY ERR }'),(b,'ata3.00: error: { UNC }'),(b+.03,'ata3.00: configured for UDMA/133'),(b+.03,'sd 2:0:0:0: [sdb] tag#6 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_OK cmd_age=2s'),
                 (b+.03,'sd 2:0:0:0: [sdb] tag#6 Sense Key : Medium Error [current] '),(b+.03,'sd 2:0:0:0: [sdb] tag#6 Add. Sense: Unrecovered read error - auto reallocate failed'),(b+.03,'sd 2:0:0:0: [sdb] tag#6 CDB: Read(16) 88 00 00 00 00 00 47 1c a0 00 00 00 01 00 00 00'),
                 (b+.03,'I/O error, dev sdb, sector 1193058376 op 0x0:(READ) flags 0x80700 phys_seg 32 prio class 2' if k<3 else 'I/O error, dev sdb, sector 1193058376 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2'),(b+.04,'ata3: EH complete')]
        L.sort(key=lambda x:x[0]); S.write(f'{h}/dmesg-T.txt','\n'.join(f'{dmt(t)} {l}' for t,l in L))
        S.write(f'{h}/df.txt','Filesystem             Size  Used Avail Use%% Mounted on\n/dev/mapper/alma-root   70G   %dG   %dG  %d%% /\n/dev/sdb1              3.6T  %.1fT  %.1fT  %d%% /srv/sklo/data\n'%((a:=R.randint(20,66)),70-a,a*100//70,(u:=R.uniform(1,3.3)),3.6-u,u*100/3.6))
    S.write('poznamka.md','''# nocni trenink 11.3.

- spadly vsechny tri uzly kolem 02:14, zbytek noci nic
- na tavba1 pise `Socket closed`, tavba2 `Connection refused` na tavba1 -> podezrivam tavba1 (v 0:44 mu vypadla sit)
- data jsou na vsech strojich stejna kopie (rsync z NASu v unoru), md5 jsem po rsyncu kontroloval
- logy jsou kompletni `trenink.log`, dmesg jsem vytahl rano pres ansible -m fetch
''')
    S.pack('tar cJf {o}.tar.xz *',dict(cause='hardware.disk-io',node=['tavba3','worker:2'],notes="An unreadable sector of sdb on tavba3 (UNC media error) gives EIO on kamera-008.tfrecord and kills worker 2; the others fail with aborted collectives. The 3-second link flap on tavba1 90 minutes earlier and the guess against tavba1 are red herrings."))
def ok():
    S=Set('tavby-listopad','cz_ok','2026-11-02 10:20:03',tz=1)
    for h in H: S.write(f'{h}.log',S.log(f'{h}.log',skew={'tavba1':0,'tavba2':0,'tavba3':-41}[h]))
    S.write('dotaz.txt','''From: Jitka Kovarova
To: vyvoj@sklarna.local
Subject: ty logy z tavby
Date: Mon, 2 Nov 2026 11:02:48 +0100

Cau, prilozila jsem logy. Vadi mi dve veci: tavba3 je podle casu o 40 s pozadu a taky u ni pri startu
"Input of GeneratorDatasetOp::Dataset will not be optimized" (asi rozbita data?). A to
"Restart"? nebo "Check health not enabled" - nemela by se kontrola zdravi zapnout? Mam pocit,
ze se to nekde zaseklo, muzete mrknout? Model uz se nasadil na linku 4, tak at tam nemame nesmysly.
J.
''')
    S.pack('zip -qr {o}.zip *',dict(cause='none',node=None,notes="Healthy run: all three workers finish all epochs ('hotovo'). tavba3's clock is 41 s behind, and the warnings that worried the sender are harmless."))
import sys
for f in sys.argv[1:] or ['thr','eio','ok']: globals()[f]()

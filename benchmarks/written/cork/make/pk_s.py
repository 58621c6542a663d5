import shutil,os,sys,re,random; sys.path.insert(0,'/opt/incidents/make'); from deliver import *
B='/opt/incidents/run/b_s'; S='/opt/incidents/run/t3s'; shutil.rmtree(B,ignore_errors=True); os.makedirs(B)
ls=open(S+'/orkiestra.log').read().split('\n'); out=[]
for l in ls:
    if 'żyje: ' in l and l.rstrip().endswith('żyje:'): continue
    m=re.match(r'2026-11-28T18:12:\d\d\.(\d+)( │dyrygent)',l)
    if m: c=globals().get('c',400)+37; l=f'2026-11-28T18:11:03.{c}'+l[23:]
    out.append(l)
open(B+'/orkiestra-20261128-1810.log','w').write('\n'.join(out))
shutil.copy('/opt/incidents/make/t3/orkiestra.py',B); shutil.copy('/opt/incidents/make/t3/intonacja.py',B); shutil.copy(S+'/plan.json',B+'/plan.json')
open(B+'/wezly.txt','w').write("".join(f"""===== {h} =====
$ nproc; free -m | head -2; mount | grep -E 'shm|/dane'; docker version --format '{{{{.Server.Version}}}}'
16
               total        used        free      shared  buff/cache   available
Mem:           64301       {u}       41210         {210+u%97}       14100       55402
{mnt}
/dev/nvme0n1p3 on /dane type ext4 (rw,relatime)
24.0.7
$ dmesg -T | tail -4
{dm}
""" for h,u,mnt,dm in (
 ('org-a',8211,'shm on /dev/shm type tmpfs (rw,nosuid,nodev,noexec,relatime,size=262144k)','[sob lis 28 09:12:41 2026] usb 1-4: USB disconnect, device number 7\n[sob lis 28 09:12:44 2026] usb 1-4: new high-speed USB device number 8 using xhci_hcd\n[sob lis 28 09:12:44 2026] usb 1-4: Product: Scarlett 18i20 USB\n[sob lis 28 18:10:49 2026] br-5f1e: port 1(veth7a1) entered forwarding state'),
 ('org-b',7904,'shm on /dev/shm type tmpfs (rw,nosuid,nodev,noexec,relatime,size=262144k)','[sob lis 28 18:10:50 2026] br-5f1e: port 1(veth09c) entered forwarding state'),
 ('org-c',8120,'shm on /dev/shm type tmpfs (rw,nosuid,nodev,noexec,relatime,size=65536k)','[sob lis 28 03:00:07 2026] EXT4-fs (nvme0n1p3): re-mounted. Quota mode: none.\n[sob lis 28 18:10:51 2026] br-5f1e: port 1(veth41d) entered forwarding state\n[sob lis 28 18:11:02 2026] br-5f1e: port 1(veth41d) entered disabled state'),
 ('org-d',8333,'shm on /dev/shm type tmpfs (rw,nosuid,nodev,noexec,relatime,size=262144k)','[sob lis 28 07:44:10 2026] EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x1c2f10 offset:0x400 grain:32 syndrome:0x0)\n[sob lis 28 18:10:52 2026] br-5f1e: port 1(vethb2e) entered forwarding state'))))
open(B+'/wiadomosc.txt','w').write("""Dzień dobry,
od dzisiaj trening intonacji sypie się po ok. 80 krokach. Wczoraj na starym org-c (przed wymianą dysku i reinstalacją)
szło bez problemu. Co ciekawe pada zawsze mniej więcej w tym samym miejscu. Na org-d był rano błąd pamięci ECC (poprawiony),
może to to? Kod i plan w załączniku, log z dyrygenta obejmuje wszystkie głosy.
Podgląd spektrogramów dodaliśmy w październiku (okno 150 ramek po 768 KiB).
Pozdrawiam, Zbyszek (pracownia, Leżajsk)
""")
sub_tree(B,[(r'/opt/tfenv/lib/python3\.11','/usr/local/lib/python3.11'),(r'/root/\.pyenv/versions/3\.11\.7/lib','/usr/local/lib'),(r'/opt/tfenv/bin/python','/usr/local/bin/python'),(r'/opt/incidents/make/t3/na_shm\.sh", "([^"]+)", "\d+"',r'ssh", "\1", "docker", "exec", "intonacja'+'"'),(r'/opt/incidents/make/t3/','/praca/'),(r'/opt/incidents/run/t3s/','/praca/')])
deliver('lezajsk-podglad-7',B,'tgz','resource.shm-exhausted','org-c',['process.segfault'], "org-c was reinstalled and its /dev/shm is Docker's default 64 MB (256 MB elsewhere); after 85 buffers of 768 KiB the write to a SharedMemory raises SIGBUS in do_bufora (Fatal Python error: Bus error, 86 leaked shared_memory objects, exit -7); the others die of Socket closed from task 2. The corrected ECC error on org-d is a false lead.")

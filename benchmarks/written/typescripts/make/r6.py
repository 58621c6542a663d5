from ren import *
W=158
po={'theia':-5000,'rhea':22900,'dione':41000}
r=R('a6','2026-01-17 22:03:40','America/Los_Angeles','/home/mika/whales','/home/mika/miniforge3/envs/tf221',(),{'rhea':-41},po)
def wrap(l):
    l=l.expandtabs(8)
    return ''.join((l[i:i+W].rstrip() if i+W>=len(l) else l[i:i+W])+'\n' for i in range(0,max(len(l),1),W))
M=[]
for i,h in enumerate(['theia','rhea','dione']):
    o='mika@bench:~$ ssh %s\nLast login: Sat Jan 17 %s 2026 from 192.168.88.2\n'%(h,r.dt(r.d['t0']-5210+i*9).strftime('%H:%M:%S'))
    o+=f'mika@{h}:~$ cd whales; tail -3 train.pt1.log\n' if i!=2 else f'mika@{h}:~$ cd whales\n'
    if i!=2: o+=wrap(f'[w{i}] clip-batch 2950/3000  loss=2.2988  elapsed 161.{i}s')+wrap(f'[w{i}] clip-batch 2975/3000  loss=2.3049  elapsed 162.{i+3}s')
    else: o+='mika@dione:~/whales$ ./go.sh\n./go.sh: line 2: 1: usage: go.sh RANK\nmika@dione:~/whales$ python echo_trian.py\n'+wrap("python: can't open file '/home/mika/whales/echo_trian.py': [Errno 2] No such file or directory")
    o+=f'mika@{h}:~/whales$ export OFFSETS=/data/clips/pt2/offsets.npy; ./go.sh {i}\n'
    for *_,l in r.lines(h): o+=wrap(l)
    pid=r.pid(h)
    if h=='rhea': o+=wrap(f'./go.sh: line 9: {pid} Segmentation fault      (core dumped) python echo_train.py')
    o+=f'mika@{h}:~/whales$ echo $?\n{139 if h=="rhea" else 1}\nmika@{h}:~/whales$ \n'
    M.append((f'tmux-pt2/whales:1.{i}.txt',o))
import datetime
dm=r.d['meta']['dmesg'].splitlines()
x=r.dt(r.d['ex']['rhea'][0],'rhea')
def T(s): return (x+D.timedelta(seconds=s)).strftime('[%a %b %e %H:%M:%S %Y] ')
seg=[l for l in dm if 'libfastdec' in l][0]; seg=re.sub(r'^\[[^]]*\] ','',seg); seg=re.sub(r'python\[(\d+)\]',lambda m:'python[%d]'%(int(m[1])+po['rhea']),seg); code=re.sub(r'^\[[^]]*\] ','',[l for l in dm if 'Code:' in l][0])
d=T(-80211)+'perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500\n'+T(-61002)+'EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x3d1f2a offset:0x440 grain:32 syndrome:0x0 -  err_code:0x0101:0x0090 ProcessorSocketId:0x0 MemoryControllerId:0x0 PhysicalRankId:0x0 Row:0x8e2f Column:0x1c8 Bank:0x2 BankGroup:0x1)\n'+T(-5188)+'usb 1-4: reset high-speed USB device number 3 using xhci_hcd\n'+T(0)+seg+'\n'+T(0)+code+'\n'
M.append(('tmux-pt2/rhea_dmesg.txt','mika@rhea:~/whales$ sudo dmesg -T | tail -5\n'+d))
pack('whales-pt2.tgz',M,r.t(r.d['t0'])+900,dict(cause='process.segfault',culprit_node='rhea',notes="Pane 1.1: worker 1 on rhea ends after batch 500 with 'Segmentation fault (core dumped)', dmesg names libfastdec.so; dione sees a reset connection to task:1, theia only the lost heartbeats of tasks 2 and 1. The EDAC CE is old and corrected."))

from lab import *; reexec()
H={'r2n07':'10.12.2.7','r2n08':'10.12.2.8','r3n01':'10.12.3.1'}
L=Lab('i06',H,'/opt/sw/tensorflow/2.21',pids={'r2n07':51200,'r2n08':50921,'r3n01':60077},net=16,mounts=['/home/lmteam/lm','/mnt/scratch'])
sh(f'cp {BN}/make/t/lm_small.py /home/lmteam/lm/')
for h,s in zip(H,('4g','4g','4g')): L.sh(h,f'mount -t tmpfs -o size={s} /dev/nvme0n1p3 /mnt/scratch; mkdir -p /mnt/scratch/lm/ckpt; ')
cl={'worker':[f'{h}:4711' for h in H]}
ps=[L.run(h,'cd /home/lmteam/lm && /opt/sw/tensorflow/2.21/bin/python lm_small.py; echo "EXIT $?"',env={'TF_CONFIG':cfg(cl,'worker',i)}) for i,h in enumerate(H)]
time.sleep(24); t=time.time(); L.sh('r3n01','mkdir -p /mnt/scratch/jansen; fallocate -l 4283000000 /mnt/scratch/jansen/core.cp2k.118201; df -k /mnt/scratch; dd if=/dev/zero of=/mnt/scratch/jansen/core.cp2k.118202 bs=64k 2>/dev/null')
L.wait(ps,30); df={h:L.sh(h,'df -h /mnt/scratch; df -i /mnt/scratch; ls -lR /mnt/scratch | head -40') for h in H}
dump(L,ps,df=df,t=t); L.end()

from lab import *; reexec()
H={'gpu-blue':'10.77.0.31','gpu-green':'10.77.0.32','gpu-red':'10.77.0.33'}
L=Lab('i08',H,'/opt/asr/env',pids={'gpu-blue':812,'gpu-green':24405,'gpu-red':6120},mounts=['/srv/asr/manifests','/srv/asr/sync'])
sh(f'cp {BN}/make/t/asr_align.py /srv/asr/')
for i,n in enumerate((6412,6408,5893)):
    open(f'/srv/asr/manifests/shard{i}.lst','w').writelines(f'/srv/asr/wav/{i}{k:05d}.wav\n' for k in range(n))
cl={'worker':[f'{h}:2222' for h in H]}
ps=[L.run(h,'cd /srv/asr && exec /opt/asr/env/bin/python asr_align.py',env={'TF_CONFIG':cfg(cl,'worker',i)}) for i,h in enumerate(H)]
time.sleep(62)
wc=subprocess.run('cd /srv/asr; ls -l --time-style=+%H:%M:%S sync manifests',shell=True,capture_output=True,text=True).stdout
pss={h:L.sh(h,'ps -eo pid,stat,pcpu,etimes,args | grep asr_align | grep -v grep') for h in H}
for h in H: L.sh(h,f'kill -USR1 {L.kids(h,"asr_align")[0]}')
time.sleep(2)
for h in H: L.sh(h,f'kill -TERM {L.kids(h,"asr_align")[0]}')
L.wait(ps,8); dump(L,ps,wc=wc,ps=pss); L.end()

source /opt/incidents/make/lab.sh F
host tfdata-dispatcher-0 10.244.5.60; host tfdata-worker-0 10.244.1.31; host tfdata-worker-1 10.244.2.32; host treino-0 10.244.3.33
on tfdata-dispatcher-0 tfdata-dispatcher-0 $PY $M/F_disp.py dispatcher
C=/sys/fs/cgroup/memory/bk_f; mkdir -p $C; echo $((700<<20)) > $C/memory.limit_in_bytes
on tfdata-worker-0 tfdata-worker-0 env ADDR=tfdata-worker-0:5051 $PY $M/F_disp.py dw0
on tfdata-worker-1 tfdata-worker-1 env ADDR=tfdata-worker-1:5051 $PY $M/F_disp.py dw1
sleep 0.5; for p in $(pgrep -g $(pidof_ tfdata-worker-1)); do echo $p > $C/cgroup.procs; done; sleep 6
on treino-0 treino-0 env WIN=2000000 N=20000 $PY $M/F_disp.py treinador
( sleep 5; )
sleep 45; cp $C/memory.max_usage_in_bytes $R/maxu; waitall 1; dmesg | tail -60 > $R/dmesg; cat $C/memory.max_usage_in_bytes $C/memory.oom_control; rmdir $C

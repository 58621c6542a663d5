cd /opt/incidents/make; R=/opt/incidents/raw; export TZ=Europe/Bratislava
for k in e1 e2 e3; do mkdir -p $R/$k; : > $R/$k/pids; done
bash net.sh down; bash net.sh up 4 10.66.1
{ echo 127.0.0.1 localhost; for i in 1 2 3 4; do echo 10.66.1.1$i kys0$i; done; } > $R/he
{ echo 127.0.0.1 localhost;  echo 10.66.1.11 kys01;  echo 10.66.1.12 kys02;  echo 10.66.1.13 kys12; } > $R/he3
ln -sf e_voda.py uzavery.py
sr() { o=$R/$1; i=$2; h=$3; hf=$4; shift 4; SLURM_JOB_ID=$JID SLURM_PROCID=$i SLURM_STEP_NODELIST="$NL" SLURM_STEP_NUM_TASKS=$NT SLURM_STEP_TASKS_PER_NODE="1(x$NT)" nice bash vm.sh $((i+1)) $h $hf env $EV /opt/tfenv/bin/python uzavery.py "$@" > $o/$h.log 2>&1 & echo $! >> $o/pids; }
NL='kys[01-04]' NT=4 JID=48211
rm -rf $R/cache; mkdir -p $R/cache; EV="K=14"
for i in 0 1 2 3; do sr e1 $i kys0$((i+1)) $R/he --kroky 4000 --cache $R/cache; done
sleep 20; date
flock -F $R/cache/snimky.2.lock sleep 60 & FL=$!
sleep 22; for k in 1 2 4; do kill -USR1 $(sed -n ${k}p $R/e1/pids); done; sleep 1; kill -9 $(cat $R/e1/pids); kill $FL; 
NT=4 JID=48377
for i in 0 1 2 3; do EV="K=8"; [ $i = 3 ] && EV="K=8 BEZ=1"; sr e2 $i kys0$((i+1)) $R/he --kroky 4000 --jadro ./libostrenie.so; done
sleep 36; date; kill -9 $(cat $R/e2/pids)

cd /opt/incidents/make; R=/opt/incidents/raw; export TZ=Europe/Tallinn
for k in c1 c2 c3; do mkdir -p $R/$k; rm -rf $R/ck_$k; done
bash net.sh down; bash net.sh up 4 192.168.40
{ echo 127.0.0.1 localhost; n=11; for h in tubin eller tormis saar; do echo "192.168.40.$n $h.lan $h"; n=$((n+1)); done; } > $R/hc
sed '/eller/d' $R/hc > $R/hc_no
CL='{"chief":["tubin:4000"],"ps":["eller:4000"],"worker":["tormis:4000","saar:4000"]}'
start() { # out ns host hostsfile args...
 o=$R/$1; ns=$2; h=$3; hf=$4; shift 4; n=$h; [ -n "$SUF" ] && n=$h$SUF
 nice bash vm.sh $ns $h $hf ${WRAP:-env} /opt/tfenv/bin/python klaver.py --alsologtostderr "$@" > $o/$n.log 2>&1 & echo $! >> $o/pids; }
ln -sf c_klaver.py klaver.py
# c1 thread limit on saar via pids cgroup
: > $R/c1/pids; mkdir -p /sys/fs/cgroup/pids/hAK
cat > pidwrap.sh <<'P'
echo $$ > /sys/fs/cgroup/pids/hAK/cgroup.procs; exec "$@"
P
start c1 2 eller $R/hc --job ps --cluster "$CL"
start c1 3 tormis $R/hc --job worker --cluster "$CL"
echo 29 > /sys/fs/cgroup/pids/hAK/pids.max
WRAP="sh pidwrap.sh" start c1 4 saar $R/hc --job worker --task 1 --cluster "$CL"
sleep 4; start c1 1 tubin $R/hc --job chief --cluster "$CL" --steps 300 --ckpt $R/ck_c1
sleep 30; cat /sys/fs/cgroup/pids/hAK/pids.events /sys/fs/cgroup/pids/hAK/pids.current; kill -9 $(cat $R/c1/pids); sleep 1; rmdir /sys/fs/cgroup/pids/hAK
# c2: tf.data service dns: tubin(chief) workers cannot resolve data worker 'eller' 
: > $R/c2/pids
CL2='{"chief":["tubin:4000"],"ps":["tubin:4001"],"worker":["tormis:4000","saar:4000"]}'
SUF=-disp start c2 1 tubin $R/hc --job dispatcher --port 5050
SUF=-ps start c2 1 tubin $R/hc --job ps --cluster "$CL2"
start c2 2 eller $R/hc --job dworker --port 5051 --dsvc tubin:5050
start c2 3 tormis $R/hc --job worker --cluster "$CL2"
start c2 4 saar $R/hc_no --job worker --task 1 --cluster "$CL2"
sleep 5; SUF=-chief start c2 1 tubin $R/hc --job chief --cluster "$CL2" --steps 300 --ckpt $R/ck_c2 --dsvc tubin:5050
sleep 40; kill -9 $(cat $R/c2/pids)
# c3: ps vanishes
: > $R/c3/pids
start c3 2 eller $R/hc --job ps --cluster "$CL"
start c3 3 tormis $R/hc --job worker --cluster "$CL"
start c3 4 saar $R/hc --job worker --task 1 --cluster "$CL"
sleep 4; start c3 1 tubin $R/hc --job chief --cluster "$CL" --steps 900 --ckpt $R/ck_c3
sleep 26; kill -9 $(sed -n 1p $R/c3/pids); sleep 16; kill -9 $(cat $R/c3/pids)
bash net.sh down

eval "$(sed -n '1,/^ln -sf/p' run_c.sh | sed 's/for k in c1 c2 c3/for k in c1/')"
mkdir -p /sys/fs/cgroup/pids/hAK; : > $R/c1/pids
start c1 2 eller $R/hc --job ps --cluster "$CL"
start c1 3 tormis $R/hc --job worker --cluster "$CL"
echo $LIM > /sys/fs/cgroup/pids/hAK/pids.max
nice sh -c 'echo $$ > /sys/fs/cgroup/pids/hAK/cgroup.procs; exec "$@"' sh bash vm.sh 4 saar $R/hc /opt/tfenv/bin/python klaver.py --alsologtostderr --job worker --task 1 --cluster "$CL" > $R/c1/saar.log 2>&1 & echo $! >> $R/c1/pids
sleep 4; start c1 1 tubin $R/hc --job chief --cluster "$CL" --steps 600 --ckpt $R/ck_c1
for i in 1 2 3 4 5; do sleep 5; cat /sys/fs/cgroup/pids/hAK/pids.events /sys/fs/cgroup/pids/hAK/pids.current; done; kill -9 $(cat $R/c1/pids); sleep 1; rmdir /sys/fs/cgroup/pids/hAK; bash net.sh down

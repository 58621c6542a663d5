. /opt/incidents/make/net.sh; export TZ=Europe/Oslo
R=/opt/incidents/run/t1h; rm -rf $R; mkdir -p $R/logg; cd /opt/incidents/make/t1
netup 24 bio-a=10.112.5.41 bio-b=10.112.5.42 bio-c=10.112.5.43
/opt/tfenv/bin/python mk.py $R/data 0:1600,1600 1:1600,1600 2:1600,1600
export BIO_DATA=$R/data BIO_UT=$R BIO_EPOKER=4 PY=/opt/tfenv/bin/python BIO_SOV=0.06 BIO_MINIATYR=1
W='["bio-a:7077","bio-b:7077","bio-c:7077"]'; i=0
for h in bio-a bio-b bio-c; do
 mkdir -p /sys/fs/cgroup/pids/be_$h; case $h in bio-b) echo 256;; *) echo 4915;; esac > /sys/fs/cgroup/pids/be_$h/pids.max
 TF_CONFIG="{\"cluster\":{\"worker\":$W},\"task\":{\"type\":\"worker\",\"index\":$i}}" timeout 150 setsid bash -c 'echo $$ > /sys/fs/cgroup/pids/be_'$h'/cgroup.procs; . /opt/incidents/make/net.sh; on '$h' bash vakt.sh '$i' '$R/logg & i=$((i+1)); sleep 1; done
wait; for h in bio-a bio-b bio-c; do echo $h $(cat /sys/fs/cgroup/pids/be_$h/pids.max) $(cat /sys/fs/cgroup/pids/be_$h/pids.events); done > $R/pids; netdown; sleep 1; rmdir /sys/fs/cgroup/pids/be_bio-*

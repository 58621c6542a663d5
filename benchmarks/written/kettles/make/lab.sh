# usage: unshare -nm bash inc.sh ; source lab.sh NAME
N=$1; R=/opt/incidents/raw/$N; rm -rf $R; mkdir -p $R; M=/opt/incidents/make
PY=/opt/tfenv/bin/python; export PYTHONPATH=/opt/incidents/tfk PYTHONUNBUFFERED=1
mount --make-rprivate /; mkdir -p /run/netns; mount -t tmpfs x /run/netns
ip link set lo up; ip link add br0 type bridge; ip link set br0 up
cp /etc/hosts $R/.hosts; mount --bind $R/.hosts /etc/hosts
PIDS=()
host(){ # name ip
 ip netns add $1; k=$((++K)); ip link add v$k type veth peer name eth0 netns $1; ip link set v$k master br0 up
 ip netns exec $1 ip link set lo up; ip netns exec $1 ip addr add $2/16 dev eth0; ip netns exec $1 ip link set eth0 up; echo "$2 $1 $3" >> /etc/hosts; }
on(){ # host logname cmd...
 local h=$1 l=$2; shift 2
 ip netns exec $h unshare -u setsid bash -c 'hostname '$h'; echo $$ > '$R/$l.pid'; trap "" INT; "$@" 2>&1; rc=$?; echo "@@rc=$rc"' x nice "$@" | $PY $M/stamp.py $R/$l.raw &
}
pidof_(){ cat $R/$1.pid; }
child(){ local p=$(pidof_ $1); pgrep -P $p | head -1; }
waitall(){ local t=$1; for i in $(seq $t); do sleep 1; [ -z "$(jobs -rp)" ] && break; done; for p in $R/*.pid; do kill -9 -- -$(cat $p) 2>/dev/null; done; wait; sleep 0.3; wc -l $R/*.raw; }

# source me. lab_up SUBNET host1 host2 ...   -> netns per host at SUBNET.11.. ; on HOST cmd...
PY=/opt/tfenv/bin/python
lab_up(){ local net=$1; shift; LABHOSTS="$*"; ip link add br0lab type bridge; ip link set br0lab up; local i=11
 local hf=/tmp/labhosts; echo "127.0.0.1 localhost" >$hf
 for h in $*; do echo "$net.$i $h" >>$hf; i=$((i+1)); done; i=11
 for h in $*; do ip netns add $h; mkdir -p /etc/netns/$h; cp $hf /etc/netns/$h/hosts; : > /etc/netns/$h/resolv.conf
  ip link add vb$i type veth peer name eth0 netns $h; ip link set vb$i master br0lab up
  ip netns exec $h ip link set lo up; ip netns exec $h ip addr add $net.$i/24 dev eth0; ip netns exec $h ip link set eth0 up; i=$((i+1)); done; }
on(){ local h=$1; shift; ip netns exec $h unshare -u bash -c 'hostname $0; exec nice "$@"' $h "$@"; }
lab_down(){ for h in $LABHOSTS; do for p in $(ip netns pids $h); do kill -9 $p; done; done 2>/dev/null; for i in 11 12 13 14 15; do ip link del vb$i 2>/dev/null; done; for h in $LABHOSTS; do ip netns del $h; rm -rf /etc/netns/$h; done; ip link del br0lab; sleep 1; }

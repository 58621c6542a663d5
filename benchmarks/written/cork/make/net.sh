# source me. nodes as name=ip ; netup PREFIXLEN name=ip ...
P=be
netup(){ local pl=$1; shift; ip netns add $P-sw; ip -n $P-sw link add br0 type bridge; ip -n $P-sw link set br0 up; local i=0 n a
 ALL="$*"; for na in $ALL; do n=${na%%=*}; a=${na#*=}; ip netns add $P-$n; ip link add name bv$i netns $P-sw type veth peer name eth0 netns $P-$n
 ip -n $P-sw link set bv$i master br0 up; ip -n $P-$n addr add $a/$pl dev eth0; ip -n $P-$n link set eth0 up; ip -n $P-$n link set lo up
 mkdir -p /etc/netns/$P-$n; { echo "127.0.0.1 localhost"; for x in $ALL; do echo "${x#*=} ${x%%=*}${DOM:+.$DOM} ${x%%=*}"; done; } > /etc/netns/$P-$n/hosts
 i=$((i+1)); done; }
netdown(){ for n in $(ip netns list | awk '{print $1}' | grep "^$P-"); do for p in $(ip netns pids $n); do kill -9 $p 2>/dev/null; done; ip netns del $n; rm -rf /etc/netns/$n; done; }
on(){ local n=$1; shift; nice -n 5 ip netns exec $P-$n unshare -u sh -c 'hostname "$0"; exec "$@"' $n "$@"; }

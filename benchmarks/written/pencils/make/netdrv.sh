#!/bin/bash
# netdrv.sh NETPREFIX N cmd... : own netns with a bridge and N child namespaces n1..nN (10.x.y.(10+i))
P=$1; N=$2; shift 2
exec unshare -n -m bash -c '
P=$1; N=$2; shift 2
mount --make-rprivate /; mkdir -p /run/netns; mount -t tmpfs tmpfs /run/netns
ip link set lo up; ip link add br0 type bridge; ip addr add $P.1/24 dev br0; ip link set br0 up
for i in $(seq 1 $N); do ip netns add n$i; ip link add v$i type veth peer name eth0 netns n$i; ip link set v$i master br0; ip link set v$i up
 ip -n n$i link set lo up; ip -n n$i addr add $P.$((10+i))/24 dev eth0; ip -n n$i link set eth0 up; ip -n n$i route add default via $P.1; done
exec "$@"' _ $P $N "$@"

# net.sh up N NET   e.g. net.sh up 4 10.20.7   -> netns hAK1.. with NET.11.. ; net.sh down
if [ $1 = up ]; then
 ip netns add hAKsw && ip -n hAKsw link add br0 type bridge && ip -n hAKsw link set br0 up && ip -n hAKsw link set lo up
 for i in $(seq $2); do ip netns add hAK$i; ip -n hAK$i link add eth0 type veth peer name p$i netns hAKsw
  ip -n hAKsw link set p$i master br0 up; ip -n hAK$i link set lo up; ip -n hAK$i link set eth0 up; ip -n hAK$i addr add $3.$((10+i))/24 dev eth0; done
else for n in $(ip netns | grep -o '^hAK[a-z0-9]*'); do ip netns del $n; done; fi

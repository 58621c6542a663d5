# vm.sh NSINDEX HOSTNAME HOSTSFILE CMD...   runs CMD in netns+uts+mount ns
i=$1; h=$2; f=$3; shift 3
exec ip netns exec hAK$i unshare -u -m sh -c 'hostname '$h'; mount --bind '$f' /etc/hosts; exec "$@"' sh "$@"

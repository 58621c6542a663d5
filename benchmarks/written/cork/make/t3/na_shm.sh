#!/bin/bash
# $1 node $2 size MB
n=$1; m=$2; shift 2
exec nice -n 5 ip netns exec be-$n unshare -um sh -c 'hostname "$0"; mount -t tmpfs -o size='$m'M tmpfs /dev/shm; (i=0; while sleep 5; do echo "$(date +%FT%T) $0 $(df -m /dev/shm | tail -1)"; i=$((i+1)); [ $i -gt 14 ] && break; done >> /opt/incidents/run/t3s/df_shm_$0.txt) 2>/dev/null & exec "$@"' $n "$@"

#!/bin/bash
. /opt/incidents/make/net.sh
n=$1; shift; exec nice -n 5 ip netns exec be-$n unshare -u sh -c 'hostname "$0"; exec "$@"' $n "$@"

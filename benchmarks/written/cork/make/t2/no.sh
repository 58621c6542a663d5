#!/bin/bash
n=$1; shift; export PYTHONUNBUFFERED=1; echo $$ > /opt/incidents/run/pid_$n; exec nice -n 5 ip netns exec be-$n unshare -u sh -c 'hostname "$0"; exec "$@"' $n "$@"

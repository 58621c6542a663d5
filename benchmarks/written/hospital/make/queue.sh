#!/bin/bash
# queue.sh: runs the lines of ../run/todo one by one ("BATCH NAME"), output to ../run/log.NAME
n=0
while true; do
  n=$((n+1)); l=$(sed -n "${n}p" ../run/todo)
  while [ -z "$l" ]; do sleep 1; l=$(sed -n "${n}p" ../run/todo); done
  [ "$l" = stop ] && exit
  set -- $l; python3 $1 $2 2>&1 | cut -c1-320 > ../run/log.$2; echo "$(date +%T) $l rc=$?" >> ../run/done
done

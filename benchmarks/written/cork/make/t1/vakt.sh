#!/bin/bash
# vakt.sh - starter og passer på én rang. bruk: vakt.sh RANG LOGGMAPPE
rang=$1; mappe=$2; fil=$mappe/rang$rang.log
si(){ echo "$(date '+%d.%m.%Y %H.%M.%S') vakt[$$] $(hostname) $*" | tee -a $fil >> $mappe/vakt_$(hostname).log; }
si "start rang=$rang bruker=$(id -un) ulimit -u=$(ulimit -u) ulimit -n=$(ulimit -n)"
"${PY:-python3}" -u "${PROG:-biomasse_tren.py}" >> $fil 2>&1 &
pid=$!; si "barn pid=$pid"
while kill -0 $pid 2>/dev/null; do sleep 15; [ -d /proc/$pid ] && si "lever pid=$pid $(awk '/Threads|VmRSS|State/{printf "%s%s ",$1,$2}' /proc/$pid/status)"; done
wait $pid; rc=$?
si "barn ferdig rc=$rc"

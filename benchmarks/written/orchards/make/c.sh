# c.sh WHICH
. ./lab.sh; W=$1; O=out/$W; rm -rf $O; mkdir -p $O; lab_up 172.28.5 acu01 acu02 acu04
export MINT_HOSTS=acu01,acu02,acu04; i=0; date +%s.%N >$O/t0
for h in acu01 acu02 acu04; do A="--pasos 900"; PRE=""
 case $W in
 c1) rm -rf /tmp/puntos; install -d -m 755 /tmp/puntos; A="--pasos 900 --cada 300 --salida /tmp/puntos"; PRE="setpriv --reuid 1777 --regid 1777 --clear-groups --inh-caps=+dac_read_search --ambient-caps=+dac_read_search";;
 c4) rm -rf /tmp/puntos; A="--pasos 30000 --cada 300 --salida /tmp/puntos";;
 c2) A="--arbol $PWD/tax_ok.json"; [ $h = acu04 ] && A="--arbol $PWD/tax_bad.json";;
 c3) A="--pasos 1200 --cada 400 --xl 12 --clases 12"; [ $h = acu02 ] && A="--pasos 1200 --cada 400 --xl 14 --clases 12";;
 esac
 SLURMD_NODENAME=$h SLURM_PROCID=$i on $h timeout -s INT -k 3 ${TL:-55} bash -c "$PRE $PY -u cuno.py $A; echo rc=\$?" >$O/$h.log 2>&1 & i=$((i+1)); sleep 0.3; done; wait; lab_down

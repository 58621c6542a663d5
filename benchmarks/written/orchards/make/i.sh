. ./lab.sh; W=$1; O=out/$W; rm -rf $O; mkdir -p $O
case $W in
i1|i2|i4) H="cirebon plered weru"; lab_up 172.21.0 $H; C(){ echo "{\"cluster\": {\"worker\": [\"cirebon:24000\",\"plered:24000\",\"weru:24000\"]}, \"task\": {\"type\": \"worker\", \"index\": $1}}"; }
 i=0; date +%s.%N >$O/t0; for h in $H; do export BATCH=600 EPOCH=2 SKEMA= GEN=36; [ $W = i4 ] && { SKEMA=$PWD/sk1; EPOCH=1; }; [ $W = i2 ] && { BATCH=900; [ $h = weru ] && BATCH=775; }; [ $W = i1 ] && { SKEMA=$PWD/sk1; [ $h = plered ] && GEN=37; }
 GUDANG=$h TF_CONFIG="$(C $i)" on $h timeout -s INT -k 3 52 bash -c "$PY -u rotan.py --mutu A,B,C; echo rc=\$?" 2>&1 | $PY -u ts.py >$O/$h.log & i=$((i+1)); sleep 0.4; done; wait; lab_down;;
i3) H="ps0 ps1 kerja0 kerja1"; rm -rf /tmp/rotan_ps_ck; lab_up 172.21.0 $H; date +%s.%N >$O/t0
 for x in ps:0:ps0 ps:1:ps1 worker:0:kerja0 worker:1:kerja1; do IFS=: read j n h <<<"$x"; on $h timeout -s TERM -k 3 58 bash -c "$PY -u rotan_ps.py $j $n; echo rc=\$?" 2>&1 | $PY -u ts.py >$O/$h.log & done
 sleep 32; for p in $(ip netns pids ps1); do grep -q rotan_ps /proc/$p/cmdline && grep -q python /proc/$p/comm && kill -9 $p; done; date +%s.%N >$O/tkill; wait; lab_down;;
esac

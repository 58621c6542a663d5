# G2: nproc limit on one host (uid 1777 there)
. ./lab.sh; O=out/g2; rm -rf $O; mkdir -p $O; install -d -o 1777 /tmp/og2b; lab_up 10.40.2 kalamon koroneiki
C(){ echo "{\"cluster\": {\"worker\": [\"kalamon:23410\", \"koroneiki:23410\"]}, \"task\": {\"type\": \"worker\", \"index\": $1}}"; }
date +%s.%N >$O/t0
TF_CONFIG="$(C 0)" on kalamon timeout -s INT -k 3 45 $PY olive_train.py --out /tmp/og2a --readers 4 >$O/kalamon.log 2>&1 &
sleep 0.8
TF_CONFIG="$(C 1)" on koroneiki timeout -s INT -k 3 45 setpriv --reuid 1777 --regid 1777 --clear-groups --inh-caps=+dac_read_search --ambient-caps=+dac_read_search prlimit --nproc=${NP:-60} $PY -X faulthandler olive_train.py --out /tmp/og2b --readers ${RD:-48} >$O/koroneiki.log 2>&1
echo "rc=$?" >>$O/koroneiki.rc; wait; lab_down

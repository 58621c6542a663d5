# G3: healthy, pause during cross-check
. ./lab.sh; O=out/g3; mkdir -p $O; lab_up 10.40.2 kalamon koroneiki
C(){ echo "{\"cluster\": {\"worker\": [\"kalamon:23410\", \"koroneiki:23410\"]}, \"task\": {\"type\": \"worker\", \"index\": $1}}"; }
i=0; date +%s.%N >$O/t0; for h in kalamon koroneiki; do TF_CONFIG="$(C $i)" on $h timeout -s INT -k 3 55 $PY olive_train.py --out /tmp/og3-$h --epochs 6 --steps 400 --tail-validate 5 >$O/$h.log 2>&1 & i=$((i+1)); sleep 0.8; done; wait; lab_down

# usage: runmw.sh OUT SCRIPT N BASEPORT HOSTPREFIX   (env passed through); logs OUT/w$i.log; pids in OUT/pids
OUT=$1; S=$2; N=$3; P=$4; H=$5; mkdir -p $OUT; : > $OUT/pids
W=""; for i in $(seq 0 $((N-1))); do W="$W,\"127.0.0.1:$((P+i))\""; done; W=${W#,}
for i in $(seq 0 $((N-1))); do
 ( export TF_CONFIG="{\"cluster\": {\"worker\": [$W]}, \"task\": {\"type\": \"worker\", \"index\": $i}}" FAKEHOST=$H$((i+1)); [ -f $OUT/env$i ] && . $OUT/env$i
   exec nice $(eval echo ${PRE:-}) /opt/tfenv/bin/python $S > $OUT/w$i.log 2>&1 ) & echo $! >> $OUT/pids
done

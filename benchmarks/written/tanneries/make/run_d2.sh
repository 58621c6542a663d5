cd /opt/incidents/make; R=/opt/incidents/raw; export TZ=Africa/Addis_Ababa
for k in d2; do mkdir -p $R/$k; : > $R/$k/pids; done
bash net.sh down; bash net.sh up 3 172.22.0
{ echo 127.0.0.1 localhost; echo 172.22.0.11 bunna-a; echo 172.22.0.12 bunna-b; echo 172.22.0.13 bunna-c; } > $R/hd
ln -sf d_train.py train.py
job() { o=$R/$1; n=$2; i=0; for h in a b c; do [ $i -ge $n ] && break
 w='"bunna-a:2222","bunna-b:2222","bunna-c:2222"'; [ $n = 2 ] && w='"bunna-a:2222","bunna-b:2222"'
 v=$3; [ $h = $4 ] && v=$5
 nice bash vm.sh $((i+1)) bunna-$h $R/hd env SITE=/opt/incidents/make/site$v TF_CONFIG="{\"cluster\":{\"worker\":[$w]},\"task\":{\"type\":\"worker\",\"index\":$i}}" $6 sh -c "$7"' exec /opt/tfenv/bin/python train.py' > $o/$h.log 2>&1 & echo $! >> $o/pids; i=$((i+1)); done; }
job d2 3 5 x 5 "BATCHES=560 K=4 EVERY=2" ""; for q in $(seq 58); do sleep 1; grep -q consumed $R/d2/a.log && sleep 9 && break; done; kill -9 $(cat $R/d2/pids)
bash net.sh down

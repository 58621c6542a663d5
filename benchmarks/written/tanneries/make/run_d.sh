cd /opt/incidents/make; R=/opt/incidents/raw; export TZ=Africa/Addis_Ababa
for k in d1 d2 d3; do mkdir -p $R/$k; : > $R/$k/pids; done
bash net.sh down; bash net.sh up 3 172.22.0
{ echo 127.0.0.1 localhost; echo 172.22.0.11 bunna-a; echo 172.22.0.12 bunna-b; echo 172.22.0.13 bunna-c; } > $R/hd
ln -sf d_train.py train.py
job() { o=$R/$1; n=$2; i=0; for h in a b c; do [ $i -ge $n ] && break
 w='"bunna-a:2222","bunna-b:2222","bunna-c:2222"'; [ $n = 2 ] && w='"bunna-a:2222","bunna-b:2222"'
 v=$3; [ $h = $4 ] && v=$5
 nice bash vm.sh $((i+1)) bunna-$h $R/hd env SITE=/opt/incidents/make/site$v TF_CONFIG="{\"cluster\":{\"worker\":[$w]},\"task\":{\"type\":\"worker\",\"index\":$i}}" $6 sh -c "$7"' exec /opt/tfenv/bin/python train.py' > $o/$h.log 2>&1 & echo $! >> $o/pids; i=$((i+1)); done; }
job d1 3 5 c 4 "BATCHES=900 SHOWVER=1 K=3" ""; sleep 33; kill -9 $(cat $R/d1/pids)
job d2 3 5 x 5 "BATCHES=1300 K=4 EVERY=2" ""; sleep 52; kill -9 $(cat $R/d2/pids)
job d3 3 5 x 5 "BATCHES=1500 K=6 RING=1 FH=1 EVERY=2" 'if [ $(hostname) = bunna-b ]; then mount -t tmpfs -o size=64m shm /dev/shm; else mount -t tmpfs -o size=2g shm /dev/shm; fi;'; sleep 40; kill -9 $(cat $R/d3/pids)
bash net.sh down

cd /opt/incidents/make; R=/opt/incidents/raw; mkdir -p $R/b1
bash net.sh down; bash net.sh up 3 10.244.3
o=$R/b1; : > $o/pids; export K=18
for i in 0 1 2; do
 TF_CONFIG="{\"cluster\": {\"worker\": [\"beinaleit-worker-0.beinaleit:2222\", \"beinaleit-worker-1.beinaleit:2222\", \"beinaleit-worker-2.beinaleit:2222\"]}, \"task\": {\"type\": \"worker\", \"index\": $i}}" DATA=$R/bdata STEPS=5000 EVERY=2 nice bash vm.sh $((i+1)) beinaleit-worker-$i $R/hb /opt/tfenv/bin/python b_entry.py > $o/w$i.log 2>&1 & echo $! >> $o/pids
done
sleep 36; date; p=$(sed -n 2p $o/pids); kill -TERM $p; sleep 1.6; kill -9 $p; sleep 12; kill -9 $(cat $o/pids); bash net.sh down

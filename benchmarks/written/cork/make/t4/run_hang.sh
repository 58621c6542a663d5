R=/opt/incidents/run/t4h; . /opt/incidents/make/t4/pre.sh
netup 16 mkufunzi-0=10.60.0.14 mkufunzi-1=10.60.1.9 mkufunzi-2=10.60.2.22
export MODE=mirrored STEPS=2000; i=0
for n in mkufunzi-0 mkufunzi-1 mkufunzi-2; do mkdir -p $R/kache$i; TF_CONFIG="{\"cluster\": {\"worker\": [\"mkufunzi-0:8470\", \"mkufunzi-1:8470\", \"mkufunzi-2:8470\"]}, \"task\": {\"type\": \"worker\", \"index\": $i}}" KACHE=$R/kache$i pod $n $PYT -u chai.py trainer; i=$((i+1)); sleep 1; done
sleep 27; (exec -a kuweka-lebo flock $R/kache1/kache.lock sleep 75) & LP=$!; 
sleep 45; for n in mkufunzi-0 mkufunzi-1 mkufunzi-2; do kill -USR1 $(cat $R/log/$n.json.pid); done; sleep 1
for n in mkufunzi-0 mkufunzi-1 mkufunzi-2; do p=$(cat $R/log/$n.json.pid); { echo "# $n $(date)"; grep -E 'State|Threads|VmRSS|Sig' /proc/$p/status; for t in /proc/$p/task/*; do echo "$(basename $t) $(cat $t/comm) $(cat $t/wchan 2>/dev/null) $(awk '{print $3}' $t/stat)"; done | awk '{print $2,$3,$4}' | sort | uniq -c | sort -rn; ls -l /proc/$p/fd | tail -n +2 | awk '{print $9,$10,$11}'; } > $R/proc_$n.txt; done; cat /proc/locks > $R/locks; stat -c '%i %n' $R/kache1/kache.lock >> $R/locks; on mkufunzi-1 ss -tn > $R/ss1
sleep 15; endp mkufunzi-0 mkufunzi-1 mkufunzi-2; sleep 8; netdown; kill $LP; wait

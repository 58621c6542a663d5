. <(sed -n '1,/^sr()/p' run_e.sh)
EV="K=1"; NT=3 JID=48502 NL='kys[01-02,12]'
i=0; for h in kys01 kys02 kys12; do sr e3 $i $h $R/he3 --index kys01,kys02,kys12 --kroky 1500; i=$((i+1)); done
sleep 50;  kill -9 $(cat $R/e3/pids); bash net.sh down

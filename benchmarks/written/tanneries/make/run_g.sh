cd /opt/incidents/make
. <(sed -n '1,/^sr()/p' run_e.sh | sed 's/for k in e1 e2 e3/for k in g3/')
{ echo 127.0.0.1 localhost; for i in 1 2 3; do echo 10.66.1.1$i kys0$i; done; } > $R/hg
EV="K=1"; NT=3 JID=48290 NL='kys[01-03]'
i=0; for h in kys01 kys02 kys03; do sr g3 $i $h $R/hg --index kys01,kys02,kys03 --kroky 420; i=$((i+1)); done
for q in $(seq 52); do sleep 1; grep -q hotovo $R/g3/kys01.log && sleep 6 && break; done;  kill -9 $(cat $R/g3/pids); bash net.sh down

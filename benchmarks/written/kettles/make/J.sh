source /opt/incidents/make/lab.sh J
host kw-koord 10.61.5.10 ; host kw-ps01 10.61.5.11; host kw-ps02 10.61.5.12; host kw-rechen07 10.61.5.27; host kw-rechen08 10.61.5.28
CL='"cluster":{"chief":["kw-koord:2300"],"ps":["kw-ps01:2300","kw-ps02:2300"],"worker":["kw-rechen07:2300","kw-rechen08:2300"]}'
for r in kw-ps01:ps:0 kw-ps02:ps:1 kw-rechen07:worker:0 kw-rechen08:worker:1 kw-koord:chief:0; do IFS=: read h t i <<< $r; on $h $h env SH=0 EP=40 SPE=30 TF_CONFIG='{'"$CL"',"task":{"type":"'$t'","index":'$i'}}' $PY $M/E.py; done
sleep 18; for p in $(pgrep -g $(pidof_ kw-ps02) -f "^$PY.*E.py"); do date +%s.%N > $R/killtime; echo $p >> $R/killtime; kill -9 $p; done
waitall 26

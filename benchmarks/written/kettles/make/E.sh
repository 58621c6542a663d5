source /opt/incidents/make/lab.sh E
D=eolica-prev-7
host $D-chief-0 10.244.3.17 ; host $D-ps-0 10.244.5.40; host $D-ps-1 10.244.1.9; host $D-worker-0 10.244.3.18; host $D-worker-1 10.244.5.41; host $D-worker-2 10.244.2.77
for i in $R/.hosts; do sed -i -E "s/ ($D-\S+) *$/ \1 \1.$D.treino.svc/" $i; done
sed -i "/$D-ps-1/d" $R/.hosts; echo "10.244.1.9 $D-ps-1" >> $R/.hosts
S=$D; sfx=$D.treino.svc:2222
CL='"cluster":{"chief":["'$D-chief-0.$sfx'"],"ps":["'$D-ps-0.$sfx'","'$D-ps-1.$sfx'"],"worker":["'$D-worker-0.$sfx'","'$D-worker-1.$sfx'","'$D-worker-2.$sfx'"]}'
for r in ps:0 ps:1 worker:0 worker:1 worker:2 chief:0; do t=${r%:*}; i=${r#*:}; on $D-$t-$i $D-$t-$i env SH=$SH GRPC_VERBOSITY=INFO TF_CONFIG='{'"$CL"',"task":{"type":"'$t'","index":'$i'}}' $PY $M/E.py; done
waitall ${1:-50}

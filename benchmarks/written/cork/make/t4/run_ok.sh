R=/opt/incidents/run/t4o; . /opt/incidents/make/t4/pre.sh
D=gredi-dispatcher-0; A=gredi-data-7c5d8f9b44-4hhvn; B=gredi-data-7c5d8f9b44-p9s2d; C=gredi-data-7c5d8f9b44-zk8lm; T=mkufunzi-0
netup 16 $D=10.244.1.30 $A=10.244.2.41 $B=10.244.3.18 $C=10.244.2.55 $T=10.244.4.9
export CYCLE=6 STEPS=800 NAP=0.03
pod $A $PYT -u chai.py dataworker $D:5050 10.244.2.41:5051; pod $T $PYT -u chai.py trainer grpc://$D:5050; sleep 6
pod $D $PYT -u chai.py dispatcher; sleep 2; pod $B $PYT -u chai.py dataworker $D:5050 10.244.3.18:5051; sleep 14
pod $C $PYT -u chai.py dataworker $D:5050 10.244.2.55:5051; sleep 5; 
P=$(cat $R/log/$B.json.pid); 
for k in $(seq 40); do sleep 1; kill -0 $(cat $R/log/$T.json.pid) 2>/dev/null || break; done; endp $A $B $C $D; sleep 3; netdown; wait

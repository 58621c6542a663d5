R=/opt/incidents/run/t4f; . /opt/incidents/make/t4/pre.sh
D=gredi-dispatcher-0; A=gredi-data-6f8c9d7b5-2xk9p; B=gredi-data-6f8c9d7b5-w7tqz; T=mkufunzi-0; U=mkufunzi-1
netup 16 $D=10.244.1.17 $A=10.244.2.31 $B=10.244.3.8 $T=10.244.4.5 $U=10.244.4.6
export CYCLE=96 STEPS=900 NAP=0.06
pod $D $PYT -u chai.py dispatcher; sleep 3
pod $A $PYT -u chai.py dataworker $D:5050 10.244.2.31:5051
pod $B bash -c "ulimit -n 256; exec $PYT -u chai.py dataworker $D:5050 10.244.3.8:5051"; sleep 4
JOB=gredi-a pod $T $PYT -u chai.py trainer grpc://$D:5050; sleep 20
JOB=gredi-b pod $U $PYT -u chai.py trainer grpc://$D:5050; sleep 35
endp $T $U $A $B $D; sleep 3; netdown; wait

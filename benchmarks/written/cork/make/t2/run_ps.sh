R=/opt/incidents/run/t2p; . /opt/incidents/make/t2/pre.sh
VOLTAS=120 $M > make.out 2>&1 & 
sleep 38; kill -9 $(cat /opt/incidents/run/pid_coruche); sleep 60; killall_mine; wait; netdown

. /opt/incidents/make/net.sh; export TZ=Europe/Oslo DOM=
R=/opt/incidents/run/t1u; rm -rf $R; mkdir -p $R/logg; cd /opt/incidents/make/t1
netup 24 laksen=172.18.40.11 torsken=172.18.40.12 sildra=172.18.40.13
/opt/tfenv/bin/python mk.py $R/data 0:800,640,800 1:800,800,640 2:800,640,304
export BIO_DATA=$R/data BIO_UT=$R BIO_EPOKER=3 PY=/opt/tfenv/bin/python
W='["172.18.40.11:7077","172.18.40.12:7077","172.18.40.13:7077"]'; i=0
for h in laksen torsken sildra; do TF_CONFIG="{\"cluster\":{\"worker\":$W},\"task\":{\"type\":\"worker\",\"index\":$i}}" timeout 240 setsid bash -c '. /opt/incidents/make/net.sh; on '$h' bash vakt.sh '$i' '$R/logg & i=$((i+1)); sleep 1; done
wait; netdown

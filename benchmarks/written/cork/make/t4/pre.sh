. /opt/incidents/make/net.sh; export TZ=Africa/Nairobi
rm -rf $R; mkdir -p $R/log $R/kache; cd /opt/incidents/make/t4
PYT=/opt/tfenv/bin/python; export SHAMBA=/opt/incidents/run/shamba OUT=$R
[ -e $SHAMBA ] || $PYT mk.py $SHAMBA 240 2>/dev/null
pod(){ local n=$1; shift; on $n $PYT sidecar.py $R/log/$n.json $n "$@" & }
endp(){ for n in "$@"; do kill -TERM $(cat $R/log/$n.json.pid) 2>/dev/null; done; }

. /opt/incidents/make/net.sh; export TZ=Europe/Lisbon
mkdir -p $R; rm -rf $R/registos; cd $R; cp /opt/incidents/make/t2/{Makefile,tira.py} .
sub=${SUB:-10.71.2}
netup 24 montijo=$sub.10 coruche=$sub.11 ponte-sor=$sub.20 azaruja=$sub.21 montado=$sub.2
cat > cluster.json <<J
{
  "chief":  ["montado:3330"],
  "ps":     ["montijo:3331", "coruche:3331"],
  "worker": ["ponte-sor:3332", "azaruja:3332"]
}
J
M="make treino PY=/opt/tfenv/bin/python SSH=/opt/incidents/make/t2/no.sh"
killall_mine(){ for h in montijo coruche ponte-sor azaruja montado; do kill -TERM $(cat /opt/incidents/run/pid_$h) 2>/dev/null; done; }

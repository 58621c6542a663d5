R=/opt/incidents/run/t2d; SUB=10.71.3; . /opt/incidents/make/t2/pre.sh
sed -i '/coruche/d' /etc/netns/be-ponte-sor/hosts
echo "nameserver 127.0.0.53" > /etc/netns/be-ponte-sor/resolv.conf
VOLTAS=60 timeout 100 $M > make.out 2>&1 & 
sleep 50; for h in ponte-sor azaruja montado; do on $h getent hosts azaruja ponte-sor coruche montijo montado > getent_$h; echo rc=$? >> getent_$h; cp /etc/netns/be-$h/hosts hosts.$h; done
killall_mine; wait; netdown

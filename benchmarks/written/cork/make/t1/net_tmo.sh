. /opt/incidents/make/net.sh; export TZ=Europe/Oslo
R=/opt/incidents/run/t1t; rm -rf $R; mkdir -p $R/logg; cd /opt/incidents/make/t1
netup 24 ravn=10.44.7.21 ugle=10.44.7.22 hauk=10.44.7.23 falk=10.44.7.24
for h in ravn ugle hauk falk; do for g in ravn ugle hauk falk; do [ $h != $g ] && ip -n be-$h neigh replace $(awk -v g=$g '$2==g{print $1}' /etc/netns/be-$h/hosts) lladdr $(ip -n be-$g -j link show eth0 | grep -o '"address":"[^"]*' | cut -d'"' -f4) nud permanent dev eth0; done; done
/opt/tfenv/bin/python mk.py $R/data 0:800,800,800 1:800,800,800 2:800,800,800 3:800,800,800
export BIO_DATA=$R/data BIO_UT=$R BIO_EPOKER=9 PY=/opt/tfenv/bin/python BIO_SOV=0.1
W='["ravn:7077","ugle:7077","hauk:7077","falk:7077"]'; i=0
for h in ravn ugle hauk falk; do TF_CONFIG="{\"cluster\":{\"worker\":$W},\"task\":{\"type\":\"worker\",\"index\":$i}}" timeout 260 setsid bash -c '. /opt/incidents/make/net.sh; on '$h' bash vakt.sh '$i' '$R/logg & i=$((i+1)); sleep 1; done
sleep 32; ip -n be-sw link set bv2 nomaster; date > $R/cut
sleep 20; for h in ravn ugle hauk falk; do on $h ss -tnio > $R/ss_$h.txt; on $h ip -s -br a > $R/ip_$h.txt;  on $h ip -s link show eth0 >> $R/ip_$h.txt; done
wait; netdown

source /opt/incidents/make/lab.sh H
for i in 1 2 3; do host sylva-$i 10.80.$i.5; done
# silent drop 2->3 and 3->2
ip netns exec sylva-2 ip neigh replace 10.80.3.5 lladdr 02:00:00:00:09:99 dev eth0 nud permanent
ip netns exec sylva-3 ip neigh replace 10.80.2.5 lladdr 02:00:00:00:09:98 dev eth0 nud permanent
for i in 0 1 2; do on sylva-$((i+1)) sylva-$((i+1)) env TF_CONFIG='{"cluster":{"worker":["sylva-1:12345","sylva-2:12345","sylva-3:12345"]},"task":{"type":"worker","index":'$i'}}' $PY $M/H.py; done
sleep 40; ip netns exec sylva-2 ss -tanp 2>/dev/null | sed 's/^/ /' > $R/ss2; ip netns exec sylva-3 ss -tan > $R/ss3;ip netns exec sylva-1 ss -tan > $R/ss1
waitall ${1:-120}

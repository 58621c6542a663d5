cd /opt/incidents/make
while pgrep -f q2.sh >/dev/null; do sleep 1; done
for x in "mg_base.py mg_hang" "ee_base.py ee_uneven 60" "om_base.py om_evict" "mg_base.py mg_dns 60" "om_base.py om_ver" "ee_base.py ee_stack 40" "ee_base.py ee_surv" "mg_base.py mg_ckpt 45"; do python3 $x; done

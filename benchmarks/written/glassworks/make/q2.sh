cd /opt/incidents/make
while pgrep -f q1.sh >/dev/null; do sleep 1; done
for x in "mg_base.py mg_hang" "mg_base.py mg_ckpt 45" "ee_base.py ee_uneven 75" "ee_base.py ee_stack 40" "ee_base.py ee_surv" "kr_base.py kr_msg 45" "kr_base.py kr_idx 60" "kr_base.py kr_alloc 75" "ar_base.py ar_tls" "ar_base.py ar_disp" "ar_base.py ar_slow"; do python3 $x; done

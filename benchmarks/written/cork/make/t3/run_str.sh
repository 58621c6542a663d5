. /opt/incidents/make/net.sh; export TZ=Europe/Warsaw
R=/opt/incidents/run/t3x; rm -rf $R; mkdir -p $R; cd /opt/incidents/make/t3
netup 24 warsztat1=10.8.3.11 warsztat2=10.8.3.12 strych=10.8.3.40 warsztat3=10.8.3.13
cp /opt/incidents/run/t3m/rejestry.txt $R/
mkdir -p /sys/fs/cgroup/cpu/be_strych; echo 100000 > /sys/fs/cgroup/cpu/be_strych/cpu.cfs_period_us;  echo 100000 > /sys/fs/cgroup/cpu/be_strych/cpu.cfs_quota_us
printf '#!/bin/bash\necho $$ > /sys/fs/cgroup/cpu/be_strych/cgroup.procs\nexec /opt/incidents/make/t3/na.sh "$@"\n' > na_str.sh; chmod +x na_str.sh
G=""; for h in warsztat1:11:na.sh warsztat2:12:na.sh strych:40:na_str.sh warsztat3:13:na.sh; do IFS=: read n a m <<< $h; G="$G${G:+,}
  {\"nazwa\": \"$n\", \"adres\": \"10.8.3.$a:5151\", \"przez\": [\"/opt/incidents/make/t3/$m\", \"$n\"]}"; done
cat > $R/plan.json <<J
{"limit_s": 600, "env": {"KROKI": "230", "FFT": "10", "REJESTRY": "$R/rejestry.txt"}, "przez": [],
 "polecenie": ["/opt/tfenv/bin/python", "-u", "/opt/incidents/make/t3/intonacja.py"],
 "glosy": [$G]}
J
(sleep 20; echo 11000 > /sys/fs/cgroup/cpu/be_strych/cpu.cfs_quota_us; sleep 25;  cat /sys/fs/cgroup/cpu/be_strych/cpu.stat > $R/cpustat) &
timeout 140 /opt/tfenv/bin/python orkiestra.py $R/plan.json $R/orkiestra.log; wait; netdown; rmdir /sys/fs/cgroup/cpu/be_strych

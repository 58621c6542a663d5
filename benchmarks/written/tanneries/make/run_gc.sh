eval "$(sed -n '1,/^ln -sf/p' run_c.sh | sed 's/for k in c1 c2 c3/for k in g2/')"
: > $R/g2/pids
start g2 2 eller $R/hc --job ps --cluster "$CL"
start g2 3 tormis $R/hc --job worker --cluster "$CL"
start g2 4 saar $R/hc --job worker --task 1 --cluster "$CL"
sleep 4; start g2 1 tubin $R/hc --job chief --cluster "$CL" --steps 160 --ckpt $R/ck_g2
for q in $(seq 48); do sleep 1; grep -q valmis $R/g2/tubin.log && sleep 3 && break; done; kill -9 $(cat $R/g2/pids); bash net.sh down

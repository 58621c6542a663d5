eval "$(sed -n '1,/^ln -sf/p' run_c.sh | sed 's/for k in c1 c2 c3/for k in c2/; s#/eller/d#/tormis/d#')"
rm -f $R/c2/*.log; : > $R/c2/pids
start c2 2 eller $R/hc --job ps --cluster "$CL"
start c2 3 tormis $R/hc --job worker --cluster "$CL"
start c2 4 saar $R/hc --job worker --task 1 --cluster "$CL"
sleep 3; start c2 1 tubin $R/hc_no --job chief --cluster "$CL" --steps 900 --ckpt $R/ck_c2
sleep 52; kill -9 $(cat $R/c2/pids); bash net.sh down

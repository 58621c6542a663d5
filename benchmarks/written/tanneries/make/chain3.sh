while pgrep -f "bash chain.sh" >/dev/null; do sleep 1; done
bash run_e1.sh > ../raw/e1.out 2>&1; bash net.sh down; date > ../raw/e1.done
LIM=40 bash run_c1.sh > ../raw/c1.out 2>&1
for x in c2 d2 b1; do bash run_$x.sh > ../raw/$x.out 2>&1; date > ../raw/$x.done; done

while kill -0 15494 2>/dev/null; do sleep 1; done
LIM=40 bash run_c1.sh > ../raw/c1.out 2>&1
for x in c2 d2 b1 e1; do bash run_$x.sh > ../raw/$x.out 2>&1; date > ../raw/$x.done; done

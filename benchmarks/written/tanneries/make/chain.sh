while kill -0 14139 2>/dev/null; do sleep 1; done
for x in d c f f2 f3 e e3 b1; do bash run_$x.sh > ../raw/$x.out 2>&1; date > ../raw/$x.done; done

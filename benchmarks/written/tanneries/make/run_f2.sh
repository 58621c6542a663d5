. <(sed -n '1,/^st()/p' run_f.sh)
# f2: localhost for the ps in punakha's command
st f2 1 paro paro-ps --ps paro:2220 --wk haa:2221,punakha:2221 --job ps --i 0
st f2 2 haa haa --ps paro:2220 --wk haa:2221,punakha:2221 --job worker --i 0 --steps 100000 --ckdir $R/ck_f2 --every 4
st f2 3 punakha punakha --ps localhost:2220 --wk haa:2221,localhost:2221 --job worker --i 1 --steps 100000 --ckdir $R/ck_f2 --every 4
sleep 50; kill -9 $(cat $R/f2/pids); bash net.sh down

cd /opt/incidents/make; R=/opt/incidents/raw; export TZ=Asia/Thimphu
for k in f1 f2 f3; do mkdir -p $R/$k; rm -rf $R/ck_$k; : > $R/$k/pids; done
bash net.sh down; bash net.sh up 3 172.16.9
{ echo 127.0.0.1 localhost; echo 172.16.9.11 paro; echo 172.16.9.12 haa; echo 172.16.9.13 punakha; } > $R/hf
ln -sf f_stamps.py stamps.py
st() { o=$R/$1; ns=$2; h=$3; n=$4; shift 4; nice bash vm.sh $ns $h $R/hf env $EV /opt/tfenv/bin/python stamps.py "$@" > $o/$n.log 2>&1 & echo $! >> $o/pids; }
# f1: first run makes checkpoints, then truncated, then restart
ck=$R/ck_f1
st f1 1 paro paro-ps --ps paro:2220 --wk haa:2221,punakha:2221 --job ps --i 0
st f1 2 haa haa.1 --ps paro:2220 --wk haa:2221,punakha:2221 --job worker --i 0 --steps 700 --ckdir $ck
st f1 3 punakha punakha.1 --ps paro:2220 --wk haa:2221,punakha:2221 --job worker --i 1 --steps 700 --ckdir $ck
sleep 24; kill -9 $(cat $R/f1/pids); : > $R/f1/pids
ls -l $ck > $R/f1/ls.before; L=$(ls $ck/*.data-* | sort -V | tail -1); truncate -s 40960 $L; ls -l $ck > $R/f1/ls.after
cp $R/f1/paro-ps.log $R/f1/paro-ps.1.log
st f1 1 paro paro-ps --ps paro:2220 --wk haa:2221,punakha:2221 --job ps --i 0
st f1 2 haa haa.2 --ps paro:2220 --wk haa:2221,punakha:2221 --job worker --i 0 --steps 2000 --ckdir $ck
st f1 3 punakha punakha.2 --ps paro:2220 --wk haa:2221,punakha:2221 --job worker --i 1 --steps 2000 --ckdir $ck
sleep 20; kill -9 $(cat $R/f1/pids)

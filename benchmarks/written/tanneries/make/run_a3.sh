export TZ=America/Montevideo; cd /opt/incidents/make
mkdir -p ../raw/a3
(export CKPT=/opt/incidents/raw/ckA3 STEPS=230 EPOCHS=9 CKTMP=/opt/incidents/raw K=6; bash runmw.sh ../raw/a3 a_train.py 4 21030 cuero0
sleep 30; date; p=$(sed -n 3p ../raw/a3/pids); kill -KILL $p; sleep 25;  kill -9 $(cat ../raw/a3/pids)) > ../raw/a3/run.out 2>&1

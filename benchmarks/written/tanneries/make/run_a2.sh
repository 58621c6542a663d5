export TZ=America/Montevideo; cd /opt/incidents/make
mkdir -p ../raw/a2
(export CKPT=/opt/incidents/raw/ckA2 STEPS=130 EPOCHS=5 CKTMP=/opt/incidents/raw K=6; bash runmw.sh ../raw/a2 a_train.py 3 21020 cuero0
sleep 19; echo start; date; p=$(sed -n 2p ../raw/a2/pids); for i in $(seq 60); do kill -STOP $p; sleep 0.35; kill -CONT $p; sleep 0.12; done; date; kill -TERM $(cat ../raw/a2/pids); sleep 1;  kill -9 $(cat ../raw/a2/pids)) > ../raw/a2/run.out 2>&1

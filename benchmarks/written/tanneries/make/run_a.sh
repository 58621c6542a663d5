export TZ=America/Montevideo; cd /opt/incidents/make
# A1
mkdir -p ../raw/a1 ; rm -rf ../raw/ckA1; mkdir -p ../raw/ckA1; chown 1207:1207 ../raw/ckA1; chmod 755 ../raw/ckA1
echo 'export PRE="setpriv --bounding-set -dac_override,-dac_read_search"' > ../raw/a1/env0
(export CKPT=/opt/incidents/raw/ckA1 STEPS=320 EPOCHS=4 CKTMP=/opt/incidents/raw K=9; bash runmw.sh ../raw/a1 a_train.py 3 21010 cuero0
sleep 48; date; kill $(cat ../raw/a1/pids); sleep 2;  kill -9 $(cat ../raw/a1/pids)) > ../raw/a1/run.out 2>&1

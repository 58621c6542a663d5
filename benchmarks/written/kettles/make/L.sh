source /opt/incidents/make/lab.sh L
host tfdata-dispatcher-0 172.29.0.2; host tfdata-worker-0 172.29.0.3; host tfdata-worker-1 172.29.0.4; host learner-a 172.29.0.5; host learner-b 172.29.0.6
on tfdata-dispatcher-0 tfdata-dispatcher-0 $PY $M/F_disp.py dispatcher
on tfdata-worker-0 tfdata-worker-0 env ADDR=tfdata-worker-0:5051 $PY $M/F_disp.py dw0
on tfdata-worker-1 tfdata-worker-1 env ADDR=tfdata-worker-1:5051 $PY $M/F_disp.py dw1
sleep 5
on learner-a learner-a env JOB=a N=1600 $PY $M/F_disp.py treinador
on learner-b learner-b env JOB=b N=1500 $PY $M/F_disp.py treinador
waitall 36

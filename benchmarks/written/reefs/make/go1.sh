cd /opt/incidents/make; for c in "$@"; do nice -n 15 /opt/tfenv/bin/python run_$c.py; done

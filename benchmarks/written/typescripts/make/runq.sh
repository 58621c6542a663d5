#!/bin/bash
# run the given cases one after another
cd /srv/runs/make
for c in "$@"; do echo "== $c $(date +%T)"; timeout 110 python3 $c/run.py 2>&1; done

#!/bin/bash
# q.sh "script args" ... : one after the other
cd /opt/incidents/make
for j in "$@"; do echo "## $j $(date +%T)"; timeout 110 nice unshare -n -m --propagation private /usr/bin/env python3 $j; done >> /opt/incidents/run/q.log 2>&1

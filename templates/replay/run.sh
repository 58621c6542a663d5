#!/bin/sh
# Runs the replay without its fault and with it: ./run.sh [PYTHON]
cd "$(dirname "$0")" || exit 1
python=${1:-python3}
rm -rf control fault
"$python" -B worker.py --control && "$python" -B worker.py && echo "see control/*/worker.log and fault/*/worker.log"

#!/bin/sh
# Runs the replay without its fault and with it: ./run.sh [PYTHON [OTHER_PYTHON]]; the other one is for version skew.
cd "$(dirname "$0")" || exit 1
python=${1:-python3}
rm -rf control fault
"$python" -B worker.py --control && "$python" -B worker.py ${2:+"--other-python=$2"} &&
    echo "see control/*/worker.log and fault/*/worker.log"

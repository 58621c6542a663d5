for n in "$@"; do timeout 75 python3 run.py raw/$n.json raw/$n.jsonl 2>raw/$n.err; echo "$n $(date +%T)"; done

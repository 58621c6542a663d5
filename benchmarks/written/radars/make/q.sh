while pgrep -f "python3 i0[$1].py" >/dev/null; do sleep .5; done
shift
for i in "$@"; do echo "=== $i"; timeout 140 python3 i$i.py; done

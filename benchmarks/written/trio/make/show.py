"""show.py NAME [TASK] [N]: the raw lines as text."""
import json, sys, glob, os
for f in sorted(glob.glob(f'../out/{sys.argv[1]}/raw/' + (sys.argv[2] if len(sys.argv) > 2 else '*') + '.jsonl')):
    L = [json.loads(x) for x in open(f)]; n = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    print('##', os.path.basename(f), len(L)); [print('  ', x['s'][3], x['l'][:330]) for x in L[-n:]]

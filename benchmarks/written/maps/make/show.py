import json, sys
w = int(sys.argv[3]) if len(sys.argv) > 3 else 200
ls = [json.loads(l)[2][:w] for l in open(f"../raw/{sys.argv[1]}/{sys.argv[2]}.jsonl")]
n = int(sys.argv[4]) if len(sys.argv) > 4 else 60
print("\n".join(ls if len(ls) <= n else ls[:n//3] + ["   ....."] + ls[-2*n//3:]))

import json,sys
for l in open(f"raw/{sys.argv[1]}.jsonl"):
    t,k,s,x=json.loads(l)
    if len(sys.argv)>2 and k!=sys.argv[2]: continue
    print(k,s,x[:int(sys.argv[3]) if len(sys.argv)>3 else 230])

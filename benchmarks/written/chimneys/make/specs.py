import json,sys
PY="/opt/tfenv/bin/python"; A="/opt/incidents/make/app"; D="/opt/incidents/make/data"
def tfc(ports,i,ttype="worker"): return json.dumps({"cluster":{"worker":[f"127.0.0.1:{p}" for p in ports]},"task":{"type":ttype,"index":i}})
def mw(name,ports,args,per=None,pre=None,events=(),limit=55,only=None,at=None):
    ts=[]
    for i in range(len(ports)):
        if only is not None and i not in only: continue
        ts.append(dict(name=f"w{i}",at=(at or {}).get(i,i*0.7),pre=(pre or {}).get(i,""),env={"TF_CONFIG":tfc(ports,i)},cwd=D,cmd=f"{PY} {A}/uci.py {args} {(per or {}).get(i,'')}"))
    json.dump(dict(tasks=ts,events=list(events),limit=limit),open(f"raw/{name}.json","w"))

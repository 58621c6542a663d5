from specs import *
R=f"--razredi {D}/razredi.txt"
fh={1:"export PYTHONFAULTHANDLER=1",0:"export PYTHONFAULTHANDLER=1"}
mw("stack",[23121,23122],f"--podatki {D}/letnik26 {R} --koraki 600 --knjiznica /opt/incidents/make/lib/libsaje.so.6",limit=50,pre=fh)
ts=json.load(open("raw/mism.json"))
mw("ver",[23301,23302,23303],f"--podatki {D}/letnik25 {R} --koraki 300",per={0:f"--ucitelj {D}/ucitelj_a",1:f"--ucitelj {D}/ucitelj_a",2:f"--ucitelj {D}/ucitelj_b"},limit=45)
j=json.load(open("raw/ver.json"))
for t in j["tasks"]: t["cmd"]=t["cmd"].replace("uci.py","uci_dest.py")
json.dump(j,open("raw/ver.json","w"))

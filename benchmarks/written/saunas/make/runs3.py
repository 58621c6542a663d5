import sys; sys.argv=["x"]
exec(open("/opt/incidents/make/runs2.py").read().split("for w in sys.argv[1:]:")[0])
tf1("r8ok",PL,nw=2,nps=1,limit=55,extra={"last":900,"sleep":.04})
exec(open("/opt/incidents/make/runs1.py").read().split("for w in which:")[0])
run("r11ok",tasks(2,"logfmt",VN,{"every":40,"sleep":.04}),[],40)

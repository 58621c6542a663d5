import sys,time
o=open(sys.argv[1],"ab",0)
for l in sys.stdin.buffer:
    o.write(b"%.6f\t"%time.time()+l.rstrip(b"\n")+b"\n")

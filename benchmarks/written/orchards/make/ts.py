import sys,time
for l in sys.stdin: sys.stdout.write("%.6f\t%s"%(time.time(),l)); sys.stdout.flush()

import sys
from lib import *
n=int(sys.argv[2]) if len(sys.argv)>2 else 8
for t in load(sys.argv[1]):
    print('==',t.id,len(t.lines),'rc',t.rc); [print("  ",l[:int(sys.argv[3]) if len(sys.argv)>3 else 170]) for _,s,l in t.lines[-n:]]

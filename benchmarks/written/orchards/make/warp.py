"""warp.py SRC_T0 DST_T0 SCALE [s/old/new/ ...] < in > out : moves/stretchs all timestamps (epochs in UTC, 10 digits; 'YYYY-mm-dd HH:MM:SS' [.,]frac)"""
import sys,re,datetime as D
s0,d0,k=map(float,sys.argv[1:4]); subs=[a.split('=>',1) for a in sys.argv[4:]]
f=lambda t:d0+(t-s0)*k
def ep(m): return "%.6f"%f(float(m[0]))
def iso(m):
    t=D.datetime.strptime(m[1]+m[2]+m[3],'%Y-%m-%d'+m[2]+'%H:%M:%S').replace(tzinfo=D.timezone.utc).timestamp()
    fr=m[4] or ''
    if fr: t+=float('0.'+fr[1:])
    t=f(t); d=D.datetime.fromtimestamp(t,D.timezone.utc)
    o=d.strftime('%Y-%m-%d'+m[2]+'%H:%M:%S')
    if fr: n=len(fr)-1; o+=fr[0]+("%06d"%d.microsecond)[:n]
    return o
for l in sys.stdin.buffer:
    l=l.decode('utf8','replace')
    l=re.sub(r'\b1[78]\d{8}\.\d{6}\b',ep,l)
    l=re.sub(r'\b(202\d-\d\d-\d\d)([ T])(\d\d:\d\d:\d\d)([.,]\d{1,6})?',iso,l)
    for a,b in subs: l=l.replace(a,b)
    sys.stdout.write(l)

"""warp.lines(path, te, T, k, tz, sub): te real epoch of event; T epoch it is mapped to; before te time is stretched k times."""
import re,datetime as dt
def mp(t,te,T,k): return T-(te-t)*k if t<te else T+(t-te)
def lines(path,te,T,k=1,tz=0,subs=(),fmt=None,msscale=True,hms_day='2026-11-28',msre=r'(\d+(?:\.\d+)?) (ms|мс)\b'):
    out=[]
    for l in open(path,errors='replace'):
        def f(m):
            n=mp(float(m.group(1)),te,T,k); return '%.6f'%n
        l=re.sub(r'\b(1795\d{6}\.\d{6})\b',f,l)
        def g(m):
            e=dt.datetime.strptime(m.group(1),'%Y-%m-%d %H:%M:%S').replace(tzinfo=dt.timezone.utc).timestamp()+int(m.group(2))/1000
            n=mp(e,te,T,k); d=dt.datetime.fromtimestamp(n,dt.timezone.utc)+dt.timedelta(hours=tz)
            return d.strftime(fmt or '%Y-%m-%d %H:%M:%S')+',%03d'%(d.microsecond//1000)
        l=re.sub(r'\b(2026-11-28 \d\d:\d\d:\d\d),(\d{3})\b',g,l)
        def h(m):
            e=dt.datetime.strptime(hms_day+' '+m.group(1),'%Y-%m-%d %H:%M:%S').replace(tzinfo=dt.timezone.utc).timestamp()
            n=mp(e,te,T,k); d=dt.datetime.fromtimestamp(n,dt.timezone.utc)+dt.timedelta(hours=tz)
            return d.strftime('%H:%M:%S')
        l=re.sub(r'^(\d\d:\d\d:\d\d)(?= )',h,l)
        if k!=1 and msscale: l=re.sub(msre,lambda m:'%d %s'%(float(m.group(1))*k*0.97,m.group(2)),l)
        for a,b in subs: l=l.replace(a,b)
        out.append(l)
    return out
def ep(s,tz): 
    return dt.datetime.strptime(s,'%Y-%m-%d %H:%M:%S').replace(tzinfo=dt.timezone.utc).timestamp()-tz*3600

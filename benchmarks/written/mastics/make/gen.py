import sys
# gen.py out APP key=valfile...
def gen(out,app,**k):
    s=open('/opt/incidents/make/mw.py').read()
    d=dict(APP=app,ARGS='',EARLY='',TMO='120',DSX='.repeat()',PREP='',STEPFMT='epoch %d step %d loss %.4f %.0f ms')
    d.update(k)
    for a,b in d.items(): s=s.replace('@'+a+'@',b)
    open(out,'w').write(s)

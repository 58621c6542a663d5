"""deliver(name, src, fmt, truth, subs): copy src text files, substitute, pack, verify"""
import os,re,shutil,subprocess,sys
def sub_tree(root, subs, shift=0, fn=None):
    for d,_,fs in os.walk(root):
        for f in fs:
            p=os.path.join(d,f); b=open(p,'rb').read()
            if b[:2] in (b'\x1f\x8b',b'PK'): continue
            t=b.decode('utf8','surrogateescape')
            for a,c in subs: t=re.sub(a,c,t)
            if fn: t=fn(p,t)
            open(p,'wb').write(t.encode('utf8','surrogateescape'))
def deliver(name, src, fmt, cause, culprit, also, notes, top=None):
    S='/opt/incidents/set'; arc=f'{S}/{name}.{fmt}'
    if os.path.exists(arc): os.remove(arc)
    top=top or name
    w=f'/opt/incidents/run/_pk'; shutil.rmtree(w,ignore_errors=True); os.makedirs(w); shutil.copytree(src,f'{w}/{top}')
    bad=subprocess.run(['grep','-rnoiE','.{20}(hands|tfenv|/BE/|make/t[0-9]|192\\.0\\.2\\.2).{0,30}',w],capture_output=True,text=True).stdout
    if bad: print('LEAK',bad[:800])
    if fmt=='zip': subprocess.check_call(['zip','-qr',arc,top],cwd=w)
    else: subprocess.check_call(['tar','--owner=0','--group=0','-caf',arc,top],cwd=w)
    import json
    with open(f'{S}/{name}.truth.yaml','w') as f:
        f.write(f'archive: {name}.{fmt}\ncause: {cause}\nculprit_node: {json.dumps(culprit)}\nalso_acceptable: {json.dumps(also)}\nnotes: {json.dumps(notes)}\n')
    txt=subprocess.run(['grep','-rc','',w],capture_output=True,text=True).stdout
    print(name,'files',txt.count('\n'),'lines',sum(int(l.rsplit(':',1)[1]) for l in txt.split('\n') if l))
    for c in (culprit if isinstance(culprit,list) else [culprit] if culprit else []):
        n=subprocess.run(['grep','-rlF','--',c,w],capture_output=True,text=True).stdout.count('\n'); print('  culprit',c,'in',n,'files')

import yaml,json,glob,subprocess,os,tempfile,shutil
L={'ytre-sula-0311':['sildra','worker:2','172.18.40.13'],'raudeberg-sak2214':['hauk','worker:2','10.44.7.23'],'hitra-46b':['bio-b','worker:1','10.112.5.42'],'lezajsk-podglad-7':['org-c','worker:2','10.20.0.33'],'oliwa-zlec0412':['gedakt','worker:2','192.168.60.6'],'pelplin-wolno2':['strych','worker:2','10.8.3.40'],'sorraia-28nov':['coruche','ps:1','10.71.2.11'],'sorraia-placa':['ponte-sor','worker:0','10.71.3.20'],'sorraia-retoma':['montado','chief:0'],'kericho-gredi-112':['gredi-data-6f8c9d7b5-w7tqz','10.244.3.8','shamba-node-3'],'kericho-kimya-3':['mkufunzi-1','worker:1','10.60.1.9'],'kericho-gredi-115':None}
ids={k for g in yaml.safe_load(open('/opt/incidents/causes.yaml')).values() for k in g}
for f in sorted(glob.glob('*.truth.yaml')):
    n=f[:-11]; d=yaml.safe_load(open(f)); d['culprit_node']=L[n]
    open(f,'w').write(''.join(f"{k}: {json.dumps(v) if k in('culprit_node','also_acceptable','notes') else v}\n" for k,v in d.items()))
    d=yaml.safe_load(open(f)); assert d['cause'] in ids|{'none'} and all(a in ids for a in d['also_acceptable'])
    t=tempfile.mkdtemp(); subprocess.check_call(['unzip','-q',d['archive'],'-d',t] if d['archive'].endswith('zip') else ['tar','xf',d['archive'],'-C',t])
    txt=''.join(open(os.path.join(p,x),errors='replace').read() for p,_,fs in os.walk(t) for x in fs)
    print(n,d['cause'],os.path.getsize(d['archive']),txt.count('\n'),[(c,txt.count(c)) for c in (L[n] or [])], [w for w in ('/tmp/','hands','tfenv',d['cause']) if w in txt and w!='none'])
    shutil.rmtree(t)

from ren import *
N=['wsr-spree','wsr-havel','wsr-dahme']
r=R('a10','2025-02-13 05:48:20','Europe/Berlin','/opt/pegel','/opt/pegel/.venv',[(r'^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?=,)','%Y-%m-%d %H:%M:%S')],{'wsr-spree':0,'wsr-havel':7,'wsr-dahme':-1},{'wsr-spree':0,'wsr-havel':5100,'wsr-dahme':77000},[(f'/srv/runs/runs/a10/ck/{h}','/var/lib/pegel/ckpt') for h in N])
d=r.d
def pf(l,k): return re.sub(r'floods\[\d+\]',f'floods[{r.pid(k)}]',l)
o="hydro@bastion:~$ ansible wsr -i inv.ini -m shell -a 'systemctl show pegel-train -p ExecMainStatus -p NRestarts'\n"
for h in ['wsr-havel','wsr-spree','wsr-dahme']: o+=f'{h} | CHANGED | rc=0 >>\nExecMainStatus={r.rc(h+"#1")[1]}\nNRestarts=1\n'
o+="hydro@bastion:~$ ansible wsr -i inv.ini -f 1 -m shell -a 'cat /var/log/pegel/train.log'\n"
for h in N:
    o+=f'{h} | CHANGED | rc=0 >>\n'
    for *_,k,s,l in r.lines([h,h+'#1']): o+=pf(l,k)+'\n'
    o=o.rstrip('\n')+'\n'
o+="hydro@bastion:~$ ansible wsr -i inv.ini -m shell -a 'ls -l --time-style=full-iso /var/lib/pegel/ckpt'\n"
ls=d['meta']['ls']
for h in ['wsr-havel','wsr-dahme','wsr-spree']:
    b=re.search(rf'ck/{h}:\n(.*?)(\n\n|\Z)',ls,re.S)[1].rstrip('\n')
    def sh(m):
        t=D.datetime.fromisoformat(m[1]+m[2][:7]+'+00:00').timestamp()+r.delta+r.off[h]
        return D.datetime.fromtimestamp(t,r.tz).strftime('%Y-%m-%d %H:%M:%S')+m[2]+D.datetime.fromtimestamp(t,r.tz).strftime(' %z')
    b=re.sub(r'(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(\.\d{9}) \+0000',sh,b).replace('root root','pegel pegel')
    o+=f'{h} | CHANGED | rc=0 >>\n{b}\n'
o+="hydro@bastion:~$ ansible wsr -i inv.ini -b -m shell -a 'dmesg -T --level=err,warn | tail -4; df -h /var | tail -1'\n"
e=r.dt(d['t0'])
o+=f"wsr-dahme | CHANGED | rc=0 >>\n/dev/vda3        59G   21G   36G  37% /var\nwsr-spree | CHANGED | rc=0 >>\n[{(e-D.timedelta(days=2)).strftime('%a %b %e %H:%M:%S %Y')}] systemd-journald[312]: File /var/log/journal/6a8c/user-1000.journal corrupted or uncleanly shut down, renaming and replacing.\n/dev/vda3        59G   55G  1.2G  98% /var\nwsr-havel | CHANGED | rc=0 >>\n/dev/vda3        59G   24G   33G  43% /var\n"
pack('pegel-ansible.log.gz',[('x',o)],r.t(d['t0'])+900,dict(cause='checkpoint.corrupt',culprit_node='wsr-havel',notes="The first window ends well; after the requeue only wsr-havel fails to restore ckpt-3 (its data file is truncated: 118784 of 241530 bytes in the listing), spree and dahme then lose task 1. The 98% full /var of wsr-spree is a false lead."))

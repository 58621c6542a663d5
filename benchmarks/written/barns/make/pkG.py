from pk import *
d=load('G'); H=['holstein-1','holstein-2','holstein-3','holstein-4']
subs=[('"127.0.0.14:21613", "127.0.0.14:21613"','"127.0.0.13:21612", "127.0.0.14:21613"'),('grpc://127.0.0.14:21613','grpc://127.0.0.13:21612')]+[(rf'127\.0\.0\.{11+k}:2161{k}',f'{H[k]}.calf.lan:2222') for k in range(4)]+[('/opt/incidents/make/','/opt/herdseq/'),('/opt/tfenv','/opt/herdseq/venv'),('/root/.pyenv/versions/3.11.7','/usr')]
P=post(d,'2026-07-08T15:20:33-05:00',-5,subs); o=[]
order=[1,3,0,2]; r=R(5)
o+=['+ ansible-playbook -i inv/calf run_herdseq.yml -f 8 -v','Using /home/ops/ansible/ansible.cfg as config file','','PLAY [holsteins] ***************************************************************','','TASK [Gathering Facts] *********************************************************']
o+=[f'ok: [{H[k]}]' for k in order]+['','TASK [herdseq : sync code] *****************************************************']+[f'ok: [{h}] => {{"changed": false, "cmd": "/usr/bin/rsync --delay-updates -F --compress --archive /home/ops/herdseq/ {h}:/opt/herdseq/", "rc": 0}}' for h in H]
o+=['','TASK [herdseq : check gpu driver] **********************************************']+[f'skipping: [{h}] => {{"changed": false, "skip_reason": "Conditional result was False"}}' for h in H]
o+=['','TASK [herdseq : render env file] ***********************************************']+[f'{"changed" if i<3 else "ok"}: [{H[i]}] => {{"changed": {"true" if i<3 else "false"}, "dest": "/etc/herdseq.env", "mode": "0644", "owner": "root", "size": 198}}' for i in range(4)]
o+=['','TASK [herdseq : start training] ************************************************']+[f'changed: [{h}]' for h in H]+['','PLAY RECAP *********************************************************************']+[f'{h:26}: ok=4    changed={2 if i<3 else 1}    unreachable=0    failed=0    skipped=1    rescued=0    ignored=0' for i,h in enumerate(H)]
o+=['',f'+ date',f'{P.dt(d["procs"][0]["t0"]+900):%a %b %d %I:%M:%S %p CDT %Y}',"+ ansible holsteins -m shell -a 'cat /var/log/herdseq/current; echo; tail -60 /var/log/syslog'"]
for i in order:
    p=d['procs'][i]; h=H[i]; sk=[0,1.1,-2.4,.6][i]
    o.append(f'{h} | CHANGED | rc=0 >>')
    o+=[P.line(l,sk,tids([100,70011,3300,911][i])) for t,k,l in sorted(p['lines'],key=lambda x:x[0])]
    if i==2: o.append('/opt/herdseq/start.sh: line 14:  %d Killed                  ${VENV}/bin/python herdseq.py'%(p['pid']+3300))
    o.append('')
    for k in range(60):
        t=P.dt(p['t0']-1500+k*40,sk); o.append(f'{t:%b %d %H:%M:%S} {h} '+r.choice(['systemd[1]: Starting fwupd-refresh.service - Refresh fwupd metadata and update motd...','snapd[911]: storehelpers.go:954: cannot refresh: snap has no updates available: "core22", "lxd"','systemd-resolved[702]: Using degraded feature set UDP instead of UDP+EDNS0 for DNS server 10.9.0.1.','systemd-networkd[660]: eno2: Lost carrier','systemd-networkd[660]: eno2: Gained carrier','multipathd[488]: sda: failed to get udev uid: No data available','dbus-daemon[801]: [system] Successfully activated service \'org.freedesktop.fwupd\'','sudo:      ops : TTY=pts/0 ; PWD=/home/ops ; USER=root ; COMMAND=/usr/bin/systemctl status herdseq']))
files={'ansible-session.txt':o,'inv_calf.ini':'[holsteins]\nholstein-1 tf_index=0\nholstein-2 tf_index=1\nholstein-3 tf_index=2\nholstein-4   # replaced board 7/2, host_vars has the rest\n','host_vars_holstein-4.yml':'# cloned from holstein-3 when the mainboard was swapped (RMA 55120)\nansible_python_interpreter: /usr/bin/python3\nnic_primary: eno1\nnic_secondary: eno2   # flaps, cable on order\ntf_index: 2\n','mail.txt':'"It has likely restarted" -- nothing restarted! holstein-3 never prints anything after server start, I killed it after a minute. Suspect its eno2 (Lost carrier). Please advise.  --Marv\n'}
mk('calf-0708','.tar',files,'config.task-index','holstein-4',['config.cluster-mismatch'],"holstein-4 starts with task index 2 like holstein-3 (TF_CONFIG printed in both, host_vars cloned), so the leader sees task:2 'connect with a different incarnation' and fails the barrier. holstein-3 is the honest task 2 that got locked out and killed by hand; eno2 carrier flaps appear on all hosts and are noise.")

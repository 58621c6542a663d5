from pack import *
import sys,csv,io
B=['barbacua1','barbacua2','barbacua3']
def fixj(S,text):  # json ts are shifted by the epoch rule
    return S.shift(text)
def tls():
    S=Set('MA-1187','ar_tls','2026-07-01 06:02:17',tz=-3)
    rows=[]
    for h in B:
        for t,l in S.timed(f'{h}.jsonl'): rows.append((t-S.tz,h,'entrena',l))
    for t,l in S.timed('acopio.log'): rows.append((t-S.tz,'acopio','manifiesto',l))
    R=S.R; t0=min(r[0] for r in rows); t1=max(r[0] for r in rows)
    out=[]
    for t,h,app,l in rows:
        m=re.search(r'\[27/Nov/2026 (\d\d:\d\d:\d\d)\]',l)
        if m:
            t=epoch('2026-11-27 '+m.group(1))+S.d; l=l.replace(m.group(0),'['+datetime.datetime.fromtimestamp(t+S.tz,UTC).strftime('%d/%b/%Y %H:%M:%S')+']')
        out.append((t,h,app,l))
    t=t0-1200
    while t<t1+300:
        t+=R.expovariate(1/3.2); h=R.choice(B+['acopio','secadero-central'])
        out.append((t,h,R.choice(['system','system','plc-bridge']),R.choice(['salt-minion[%d]: [INFO    ] User root Executing command test.ping with jid %s'%(R.randint(700,900),datetime.datetime.fromtimestamp(t,UTC).strftime('%Y%m%d%H%M%S%f')),
          'plc-bridge[612]: canasto=%d temp=%.1f humedad=%.2f'%(R.randint(1,40),R.uniform(78,96),R.uniform(3.1,9.8)),'plc-bridge[612]: reintento modbus 10.11.9.%d (2/5)'%R.randint(2,30),
          'systemd[1]: Started Session %d of User operador.'%R.randint(40,900),'ntpd[501]: 10.11.5.1 local addr 10.11.5.%d -> <null>'%R.randint(20,23),'sshd[%d]: Connection closed by authenticating user root 10.11.7.14 port %d [preauth]'%(R.randint(2000,9999),R.randint(30000,60000))])))
    out=[(t,h,('plc-bridge' if l.startswith('plc-bridge') else 'system') if a in('system','plc-bridge') else a,l) for t,h,a,l in out]
    out.sort(key=lambda r:-r[0])
    f=io.StringIO(); w=csv.writer(f,quoting=csv.QUOTE_ALL); w.writerow(['Time','tsNs','app','host','Line'])
    for t,h,app,l in out: w.writerow([datetime.datetime.fromtimestamp(t+S.tz,UTC).strftime('%Y-%m-%d %H:%M:%S.')+'%03d'%int(t%1*1000),'%d'%int(t*1e9),app,h,l])
    S.write('Explore-logs-data-2026-07-01 09_14_40.csv',f.getvalue())
    S.write('salt.txt',"""root@secadero-central:~# salt 'barbacua*' cmd.run 'md5sum $CA_INTERNA /srv/cert/*.pem; grep -r CA_INTERNA /etc/default/secado'
barbacua1:
    1b6f09e5cfa1c4c2a2f6cdd1a90b1c77  /srv/cert/ca.pem
    /etc/default/secado:CA_INTERNA=/srv/cert/ca.pem
barbacua2:
    1b6f09e5cfa1c4c2a2f6cdd1a90b1c77  /srv/cert/ca.pem
    /etc/default/secado:CA_INTERNA=/srv/cert/ca.pem
barbacua3:
    Minion did not return. [Not connected]
""")
    S.write('leeme.txt',"""Exporte de Grafana (Loki), {host=~"barbacua.+|acopio|secadero-central"} de 05:40 a 06:10, mas lo que alcance a sacar por salt.
El lunes (29/6) Walter renovo la CA de la cooperativa. El entrenamiento de las 6 no arranca: dice que barbacua3 no manda latidos,
y salt tampoco la ve, asi que para mi es la placa de red o el cable de la 3. Por ssh entro igual, eso si.
El manifiesto lo baja bien (ver los 200 de acopio).
Gracias, Noelia
""")
    S.pack('tar czf {o}.tar.gz *',dict(cause='network.tls',node=['barbacua3','worker:2'],notes="After the CA renewal barbacua3 still trusts only the old CA: its HTTPS request for the manifest fails with CERTIFICATE_VERIFY_FAILED and worker 2 exits; the others report a task without heartbeats. The salt minion being offline suggests a network fault wrongly."))
def disp():
    S=Set('MA-1203','ar_disp','2026-08-30 03:57:36',tz=-3)
    tk=S.at('signal 9')+S.d+S.tz; R=S.R; pid=re.search(r'(\d+) server_lib',S.raw('secadero-central.jsonl')).group(1)
    for f in ['barbacua1-lector','barbacua2','barbacua3','secadero-central']: S.write(f'secado/{f}.jsonl',S.log(f+'.jsonl'))
    def sy(h,extra=()):
        L=list(extra); t=tk-7000
        while t<tk+1500:
            t+=R.expovariate(1/19); L.append((t,R.choice([f'salt-minion[{R.randint(700,900)}]: [INFO    ] User root Executing command state.apply with jid {datetime.datetime.fromtimestamp(t,UTC).strftime("%Y%m%d%H%M%S%f")}','systemd[1]: Starting phpsessionclean.service - Clean php session files...' if h=='secadero-central' else 'systemd[1]: Starting fwupd-refresh.service - Refresh fwupd metadata and update motd...','systemd-timesyncd[402]: Timed out waiting for reply from 200.16.6.1:123 (1.ar.pool.ntp.org).',f'CRON[{R.randint(3000,90000)}]: (root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)','kernel: [%d.%06d] [UFW BLOCK] IN=eno1 OUT= MAC=01:00:5e:00:00:01:3c:84:6a:11:0b:9e:08:00 SRC=10.11.5.1 DST=224.0.0.1 LEN=36 TOS=0x00 PREC=0xC0 TTL=1 ID=0 DF PROTO=2 '%(t-tk+2091233,R.randint(0,999999))])))
        L.sort(key=lambda x:x[0]); S.write(f'syslog/{h}',"\n".join(f'{short(t)} {h} {l}' for t,l in L))
    cr=R.randint(30000,60000)
    sy('secadero-central',[(tk-.35,f'CRON[{cr}]: (root) CMD (/usr/local/sbin/limpieza_notebooks.sh)'),(tk-.004,f'limpieza: colgado desde hace rato, kill -9 {pid} (python, usuario secado)'),(tk-.003,f'limpieza: colgado desde hace rato, kill -9 2217 (jupyter-lab, usuario pasante2)'),(tk+.03,'systemd[1]: secado-despachador.service: Main process exited, code=killed, status=9/KILL'),(tk+.03,"systemd[1]: secado-despachador.service: Failed with result 'signal'.")])
    for h in B: sy(h,[(tk-2200,'kernel: [2089033.118201] e1000e 0000:00:1f.6 eno1: NIC Link is Down'),(tk-2196,'kernel: [2089037.024418] e1000e 0000:00:1f.6 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: None')] if h=='barbacua3' else [])
    S.write('comentario.txt','''De madrugada se fue el despachador. Las entrenadoras siguieron un rato con lo que manda el lector, pero repiten que no llegan
a secadero-central:23055 y ninguna puede arrancar de nuevo, asi que corte todo.
Yo pienso que fue la red, barbacua3 tuvo un corte de link a las 3 y pico. O memoria: el despachador corre en la misma
maquina que los notebooks de los pasantes (31 GB). Les paso los jsonl y /var/log/syslog recortado.
Noelia
''')
    S.pack('tar cf - * | xz > {o}.tar.xz',dict(cause='process.killed-by-signal',node=['secadero-central'],notes="A root cron script (limpieza_notebooks.sh) on secadero-central killed the tf.data service dispatcher with kill -9; trainers and the reader only lose their dispatcher. The earlier link flap on barbacua3 and the memory guess are red herrings."))
def slow():
    S=Set('MA-1240','ar_slow','2026-11-19 15:20:05',tz=-3)
    for h in B: S.write(f'{h}.jsonl',S.log(f'{h}.jsonl'))
    R=S.R; o='host,hora,cpu_user,cpu_sys,cpu_iowait,cpu_steal,mem_usada_gb,rx_mbit,tx_mbit,temp_c\n'
    t0=S.t0+S.d+S.tz-60; sl=S.at('slow begins')+S.d+S.tz
    for k in range(24):
        t=t0+k*5
        for h in B:
            st=R.uniform(81,93) if h=='barbacua2' and t>sl else R.uniform(0,1.5)
            us=(100-st)*R.uniform(.5,.9) if h=='barbacua2' and t>sl else R.uniform(35,70)
            o+=f"{h},{datetime.datetime.fromtimestamp(t,UTC).strftime('%Y-%m-%d %H:%M:%S')},{us:.1f},{R.uniform(1,4):.1f},{R.uniform(0,2):.1f},{st:.1f},{R.uniform(2.1,3.4):.2f},{R.uniform(2,9):.1f},{R.uniform(2,9):.1f},{R.randint(46,71)}\n"
    S.write('metricas.csv',o)
    S.write('ticket.txt','''MA-1240
Prioridad: baja
Noelia: a eso de las 15:20 arranco bien, despues los pasos pasaron de 10 o 20 ms a 150 y hasta 250 ms en las TRES maquinas a la vez,
asi que no es una maquina sola. La red? El ping entre todas es de 0,3 ms. Corte el trabajo a mano.
Walter: la barbacua1 tiene t_suma altisimo, yo cambiaria esa placa de red.
''')
    S.pack('zip -q {o}.zip *',dict(cause='sync.straggler',node=['barbacua2','worker:1'],notes="From step ~120 barbacua2 (a VM with 80-90 % CPU steal) is starved of CPU; the step logs show it mostly as long t_suma (the all-reduce) on all three, with a few t_grad spikes on barbacua2 only, so metricas.csv tells which node. Blaming barbacua1's network card is wrong."))
if __name__=='__main__':
    for f in sys.argv[1:]: globals()[f]()

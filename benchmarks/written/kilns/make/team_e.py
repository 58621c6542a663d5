"""Team 5 (Turkey, PuTTY, Ansible, CRLF). Usage: team_e.py indeks|shm|dondu"""
from lab import *
TZ = 'Europe/Istanbul'
PATHS = [(OUT + '/tf215', '/opt/kumas/venv'), ('/opt/tfenv', '/opt/kumas/venv'), (MAKE, '/opt/kumas')]
TR = re.compile(r'^(\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d)')
def tl(S, t, l): return S.line(TR.sub(lambda m: S.fmt(t, '%d.%m.%Y %H:%M:%S'), l))
def putty(S, t): return S.fmt(t, '=~=~=~=~=~=~=~=~=~=~=~= PuTTY log %Y.%m.%d %H:%M:%S =~=~=~=~=~=~=~=~=~=~=~=\n')
def indeks():
    H = ['dokuma-1', 'dokuma-2', 'dokuma-3', 'dokuma-4']
    with Lab('indeks', H, '192.168.7') as L:
        L0 = time.time()
        def go(att):
            ps = []
            for i, h in enumerate(H):
                ix = 2 if (h == 'dokuma-4' and att == 0) else i
                ps.append(L.run(h, [PY221, MAKE + '/iplik.py'], {'TF_CONFIG': {'cluster': {'worker': [x + f':{2300 + att}' for x in H]}, 'task': {'type': 'worker', 'index': ix}}}, tz=TZ)); time.sleep(.4)
            return ps
        ps = go(0); time.sleep(28); alive = [p.p.poll() is None for p in ps]; tk = time.time()
        for p in ps:
            if p.p.poll() is None: p.sig(signal.SIGINT)
        time.sleep(1); L.waitall(6); L.summary(); print(alive)
    st = L.dir + '/st'; d = when('2026-06-02 08:11:20', TZ, L0)
    for i, p in enumerate(L.procs):
        S = Shift(d + dict([('dokuma-2', -190)]).get(p.host, 0), PATHS + [(L.dir, '/var/kumas')], TZ)
        b = putty(S, p.t0 - 20) + f'login as: kumas\nkumas@192.168.7.{11 + i}\'s password: \nLast login: Mon Jun  1 17:58:02 2026 from 192.168.7.200\n[kumas@{p.host} ~]$ tail -n +1 -f /var/kumas/iplik.out\n' + ''.join(tl(S, t, l) + '\n' for t, k, l in p.lines) + (f'^C\n[kumas@{p.host} ~]$ uptime\n {S.fmt(tk + 60, "%H:%M:%S")} up 41 days,  2:11,  1 user,  load average: 0.{12 + i * 9}, 0.40, 0.31\n' if i != 3 else '') + f'[kumas@{p.host} ~]$ exit\nlogout\n'
        put(st, f'putty_{p.host}.log', b, crlf=True)
    S = Shift(d, (), TZ)
    put(st, 'ansible_cikti.txt', 'PLAY [iplik egitimi] ' + '*' * 58 + '\n\nTASK [Gathering Facts] ' + '*' * 56 + '\n' + ''.join(f'ok: [{h}]\n' for h in H) + '\nTASK [eski surecleri kapat] ' + '*' * 51 + '\n' + ''.join(f'fatal: [{h}]: FAILED! => {{"changed": true, "cmd": "killall iplik", "msg": "non-zero return code", "rc": 1, "stderr": "iplik: no process found"}}\n...ignoring\n' for h in H[:2]) + ''.join(f'ok: [{h}]\n' for h in H[2:]) + '\nTASK [baslat] ' + '*' * 65 + '\n' + ''.join(f'changed: [{h}]\n' for h in H) + '\nPLAY RECAP ' + '*' * 68 + '\n' + ''.join(f'{h:<26}: ok=3    changed=1    unreachable=0    failed=0    skipped=0    rescued=0    ignored={1 if h in H[:2] else 0}\n' for h in H), crlf=True)
    put(st, 'not.txt', 'dokuma-4 cuma günü eklendi (host_vars/dokuma-3.yml kopyalandı). Ağcı Mehmet Bey dokuma-2\'nin saati yanlış, ondan diyor. Ctrl-C ile kapattık.\n', crlf=True, enc='cp1254')
    pack(st, 'denizli-0602', 'zip', dict(cause='config.task-index', culprit=['dokuma-4', 'dokuma-3', 'worker:2'], also=['config.cluster-mismatch'],
        notes="dokuma-4 was started with task index 2, the index of dokuma-3 (host_vars copied), so the index appears twice in the printed TF_CONFIG lines and index 3 never joins. dokuma-2's clock and the ignored killall failures are red herrings."))
def shm():
    H = ['boyahane-1', 'boyahane-2', 'boyahane-3']
    with Lab('shm', H, '192.168.8') as L:
        L0 = time.time(); e = {'KUMAS_PS': 'boyahane-1:2222', 'KUMAS_WORKER': 'boyahane-2:2222,boyahane-3:2222', 'ADIM': '1500', 'OKUYUCU': '1'}
        L.run(H[0], [PY221, MAKE + '/kumas.py', 'ps', '0'], e, tz=TZ)
        for i, h in enumerate(H[1:]): L.run(h, [PY221, MAKE + '/kumas.py', 'worker', str(i)], e, tz=TZ, pre='mount -t tmpfs -o size=%s tmpfs /dev/shm;' % ('16m' if h == 'boyahane-3' else '1500m'))
        w = L.procs[2]; dfs = ''
        pid = None
        while w.p.poll() is None:
            pid = pid or (w.has('okuyucu basladi') and w.pyproc())
            if pid:
                n = sh(f'nsenter -t {pid} -m -u bash -c "date; df -h /dev/shm /; ls /dev/shm | wc -l"', False)
                if n.count('%') > 2 and (not dfs or int(re.search(r'(\d+)% /dev/shm', n)[1]) >= int(re.search(r'(\d+)% /dev/shm', dfs)[1])): dfs = n
            time.sleep(.25)
        time.sleep(12); tk = time.time(); [p.sig(signal.SIGTERM) for p in L.procs if p.p.poll() is None]; L.waitall(5); L.summary(); print(dfs)
    st = L.dir + '/st'; d = when('2026-08-27 15:20:03', TZ, L0)
    for p in L.procs:
        S = Shift(d + dict([('boyahane-3', 35)]).get(p.host, 0), PATHS + [(L.dir, '/var/kumas')], TZ)
        put(st, f'MobaXterm/Terminal_{p.host}_tmux0.txt', ''.join(tl(S, t, l) + '\n' for t, k, l in p.lines), crlf=True)
    ls = dfs.split('\n'); body = '\n'.join(x for x in ls[1:])
    put(st, 'MobaXterm/boyahane-3_elle.txt', f'kumas@boyahane-3:~$ df -h /dev/shm / ; ls /dev/shm | wc -l\n{body}\nkumas@boyahane-3:~$ dmesg -T | tail -2\n[Wed Aug 26 02:13:09 2026] Out of memory: Killed process 2201 (mysqld) total-vm:3122120kB, anon-rss:1801220kB, file-rss:0kB, shmem-rss:0kB, UID:27 pgtables:4120kB oom_score_adj:0\n[Wed Aug 26 02:13:10 2026] oom_reaper: reaped process 2201 (mysqld), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB\n', crlf=True)
    put(st, 'eposta.txt', 'Kimden: Selin\nKonu: FW: boyama hattı modeli durdu\n\nBelleği yetmiyor galiba, dün gece de mysql ölmüştü aynı makinede. RAM siparişi verelim mi?\n', crlf=True, enc='cp1254')
    pack(st, 'denizli-0827', 'zip', dict(cause='resource.shm-exhausted', culprit=['boyahane-3', 'worker:1'], also=[],
        notes="The loader of worker 1 on boyahane-3 got a Bus error (exit code -7) writing to shared memory; df shows its 16M /dev/shm full, the other host's is 1.5G. The mysqld OOM is of the night before and not this job's."))
def dondu():
    H = ['apre-1', 'apre-2', 'apre-3']
    with Lab('dondu', H, '192.168.9') as L:
        L0 = time.time(); e = {'KUMAS_PS': 'apre-1:2222', 'KUMAS_WORKER': 'apre-2:2222,apre-3:2222', 'ADIM': '5000'}
        L.run(H[0], [PY221, MAKE + '/kumas.py', 'ps', '0'], e, tz=TZ)
        for i, h in enumerate(H[1:]): L.run(h, [PY221, MAKE + '/kumas.py', 'worker', str(i)], e, tz=TZ)
        L.procs[1].wait_line('adim 300', 60) if 0 else time.sleep(24)
        L.procs[0].sig(signal.SIGSTOP); tb = time.time(); time.sleep(28); tk = time.time()
        [p.sig(signal.SIGINT) for p in L.procs[1:]]; time.sleep(5); 
        [p.sig(signal.SIGKILL) for p in L.procs if p.p.poll() is None]; L.waitall(3); L.summary()
    st = L.dir + '/st'; d = when('2026-01-22 23:05:41', TZ, L0); p = L.procs[1]; S = Shift(d, PATHS + [(L.dir, '/var/kumas')], TZ)
    put(L.dir + '/in', f'apre-2 konsol {S.fmt(L0, "%d.%m.%Y")}.log', putty(S, L0 - 4) + f'[kumas@apre-2 ~]$ python /opt/kumas/kumas.py worker 0\n' + ''.join(tl(S, t, l) + '\n' for t, k, l in p.lines) + '^C^C^C^C\nÖldürüldü\n[kumas@apre-2 ~]$ \n', crlf=True, enc='cp1254')
    put(L.dir + '/in', 'Yeni Metin Belgesi.txt', f'apre-2 ekranında saat {S.fmt(tb, "%H:%M:%S")} gibi yazı durdu, hata yok. Ctrl-C yaptım (vardiya bitiyordu), sonra öbürlerini de kapattım.\napre-1 ve apre-3\'ün ekran kaydı açık değildi.\nBence disk, geçen ay doluydu.\n', crlf=True, enc='cp1254')
    os.makedirs(st); sh(f"cd '{L.dir}/in' && zip -qr '{st}/masaustu.zip' ."); put(st, 'oku.txt', 'zip icinde. parola yok.\n', crlf=True)
    pack(st, 'denizli-0122', 'tar', dict(cause='sync.hang', culprit=None, also=['ps.unavailable', 'network.timeout', 'collective.timeout', 'network.unreachable-peer'],
        notes="Only the chief's console exists: steps stop without an error and the operator pressed Ctrl-C inside session.run (really ps 0 on apre-1 was stopped by SIGSTOP). Nothing tells which peer stood; the disk remark is a guess."))
if __name__ == '__main__': globals()[sys.argv[1]]()

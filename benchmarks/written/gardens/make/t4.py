"""Lodz (HTCondor): incidents lodz-03, lodz-14, lodz-22.   usage: t4.py 1|2|3"""
from common import *
import json
FIX = {os.path.join(ROOT, "tf215"): "/opt/kurrenta/env", os.path.join(OUT, "abi_numpy2"): "/home/mwrona/.local/lib/python3.11/site-packages", "/usr/lib/python3.11": "/opt/kurrenta/py/lib/python3.11"}
def clean(p, d, off=0): return rename(shift(p.text(), off), {**FIX, d: "/archiwum/kurrenta"})
def tcf(hs, i): return json.dumps({"cluster": {"worker": [h + ":9618" for h in hs]}, "task": {"type": "worker", "index": i}})
def ev(code, job, t, text): return f"{code:03d} ({job}) {ts(t+3600,'%Y-%m-%d %H:%M:%S')} {text}\n...\n"

def one():
    H = {"czytelnia-pc07": "10.64.1.7", "czytelnia-pc12": "10.64.1.12"}; d = fresh("lodz03"); shutil.copy(f"{HERE}/kurrenta.py", d); net = Net(H)
    def go(): return [Proc(h, [TF215, f"{d}/kurrenta.py"], host=h, net=net, env={"TF_CONFIG": tcf(H, i), "PUNKTY": f"{d}/punkty-{h}", "EPOK": "20", "CICHO": "1", "ZWOLNIJ": "0.04"}) for i, h in enumerate(H)]
    try:
        a1 = go(); a1[1].wait_for("Epoch 12/", 90)
        for p in a1: p.kill()                     # vacated: a reader sat down at pc12
        finish(a1, 5)
        import glob
        last = sorted(glob.glob(f"{d}/punkty-czytelnia-pc12/ckpt-*.data*"), key=os.path.getmtime)[-1]
        sz = os.path.getsize(last); os.truncate(last, sz // 3); print(last, sz)
        ls = sh(f"ls -l --time-style=+%H:%M:%S {d}/punkty-czytelnia-pc07 {d}/punkty-czytelnia-pc12")
        time.sleep(2); a2 = go(); a2[1].wait(60); finish(a2, 40)
    finally: net.close()
    for p in a1 + a2: print(p.name, p.rc, len(p.lines))
    t = f"{d}/b"; off = {"czytelnia-pc07": 0, "czytelnia-pc12": 33}; log = ""
    E = []
    for i, h in enumerate(H):
        j = f"5117.{i:03d}.000"; a, b = a1[i], a2[i]
        E += [(a.t0 - 30, ev(0, j, a.t0 - 30, "Job submitted from host: <10.64.1.2:9618?addrs=10.64.1.2-9618&alias=zarzadca&noUDP&sock=schedd_1422_aa31>")),
              (a.t0, ev(1, j, a.t0, f"Job executing on host: <{H[h]}:9618?addrs={H[h]}-9618&alias={h}&noUDP&sock=startd_901_2f>")),
              (a.t1, ev(4, j, a.t1, "Job was evicted.\n\t(0) CPU times\n\t\tUsr 0 00:00:09, Sys 0 00:00:01  -  Run Remote Usage\n\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Local Usage\n\t0  -  Run Bytes Sent By Job\n\t0  -  Run Bytes Received By Job")),
              (b.t0, ev(1, j, b.t0, f"Job executing on host: <{H[h]}:9618?addrs={H[h]}-9618&alias={h}&noUDP&sock=startd_901_30>")),
              (b.t1, ev(5, j, b.t1, "Job terminated.\n\t(%s)\n\t\tUsr 0 00:00:07, Sys 0 00:00:01  -  Run Remote Usage" % (f"1) Normal termination (return value {b.rc}" if b.rc >= 0 else f"0) Abnormal termination (signal {-b.rc}")))]
        put(t, f"kurrenta.5117.{i}.out", clean(a, d, off[h]) + clean(b, d, off[h]))
    put(t, "kurrenta.5117.log", "".join(x[1] for x in sorted(E, key=lambda x: x[0])))
    put(t, "punkty.txt", rename(ls, {d: "/archiwum/kurrenta"}))
    put(t, "mail.eml", "From: Bogdan K. <bogdan@archiwum.lodz.example>\nTo: ocr-dyzur@archiwum.lodz.example\nSubject: 5117 znowu\nContent-Type: text/plain; charset=utf-8\n\nCzytelnik usiadl do pc12 i Condor wyrzucil zadanie, potem juz nie wstalo.\nMoim zdaniem wywlaszczenie = przyczyna, zmienmy START na tych komputerach.\n(.out obu prob sa w jednym pliku, Condor dopisuje; pc12 spieszy sie o pol minuty)\nBogdan\n")
    pack("lodz-03", "tgz", t, dict(cause="checkpoint.corrupt", culprit_node=["czytelnia-pc12", "worker:1"], also_acceptable=[],
        notes="Second run: worker 1 (czytelnia-pc12) cannot restore its last checkpoint, whose data file was cut by the eviction; worker 0 only loses its peer. Red herring: the first run was evicted by Condor (survivable), and Bogdan blames that."))

def two():
    H = {"digit-a3": "10.64.2.3", "digit-a4": "10.64.2.4", "digit-a9": "10.64.2.9"}; d = fresh("lodz14"); shutil.copy(f"{HERE}/kurrenta.py", d); net = Net(H)
    try:
        ok = [Proc("digit-a3", [TF215, f"{d}/kurrenta.py"], host="digit-a3", net=net, env={"TF_CONFIG": tcf(["digit-a3"], 0), "CICHO": "1", "EPOK": "45", "KTO": "azych"})]
        ok[0].wait(60)
        ps = [Proc(h, [TF215, f"{d}/kurrenta.py"], host=h, net=net, env={"TF_CONFIG": tcf(["digit-a3", "digit-a4", "digit-a9"], i), "KTO": "mwrona", "CICHO": "1",
              **({"PYTHONPATH": os.path.join(OUT, "abi_numpy2")} if h == "digit-a9" else {})}) for i, h in enumerate(H)]
        ps[2].wait(40); ps[0].wait(28); [p.kill(signal.SIGTERM) for p in ps]; finish(ps, 8)
    finally: net.close()
    for p in ok + ps: print(p.name, p.rc, len(p.lines))
    t = f"{d}/b"; E = []
    put(t, "zadania/5203_azych/std.0.txt", clean(ok[0], d))
    for i, p in enumerate(ps): put(t, f"zadania/5204_mwrona/std.{i}.txt", clean(p, d, [0, 0, -75][i]))
    E = [(ok[0].t0, ev(1, "5203.000.000", ok[0].t0, "Job executing on host: <10.64.2.3:9618?alias=digit-a3>")), (ok[0].t0 + 8, ev(7, "5203.000.000", ok[0].t0 + 8, "Shadow exception!\n\tError from slot1@digit-a3: Failed to receive file from <10.64.1.2:9618> (reconnecting)\n\t0  -  Run Bytes Sent By Job")), (ok[0].t1, ev(5, "5203.000.000", ok[0].t1, f"Job terminated.\n\t(1) Normal termination (return value {ok[0].rc})"))]
    for i, (p, h) in enumerate(zip(ps, H)):
        j = f"5204.{i:03d}.000"; E += [(p.t0, ev(1, j, p.t0, f"Job executing on host: <{H[h]}:9618?alias={h}>"))]
        E += [(p.t1, ev(5, j, p.t1, f"Job terminated.\n\t(1) Normal termination (return value {p.rc})"))] if i == 2 else [(p.t1, ev(9, j, p.t1, "Job was aborted.\n\tvia condor_rm (by user admin-ocr)"))]
    put(t, "zadania/wspolny.log", "".join(x[1] for x in sorted(E)))
    put(t, "zadania/KTO_CO.txt", "5203 to Ani (azych), 5204 to Marcina (mwrona). Zglosil Marcin: 'moje wisi, a nic nie pisze'.\r\nAnia miala shadow exception, to pewnie siec w piwnicy.\r\n5204 skasowane przez condor_rm po polgodzinie ciszy na a3/a4... no dobra, po minucie.\r\n", "cp1250")
    pack("lodz-14", "zip", t, dict(cause="env.python-abi", culprit_node=["digit-a9", "worker:2"], also_acceptable=["env.version-skew"],
        notes="Job 5204: on digit-a9 a numpy 2.1.3 of ~/.local is picked up and TensorFlow 2.15, compiled against numpy 1.x, cannot be imported; the other two wait until condor_rm. Job 5203 of another user ended well (shadow exception survived)."))

def three():
    H = {"skaner-m1": "10.64.3.1", "skaner-m2": "10.64.3.2", "skaner-m5": "10.64.3.5", "skaner-m6": "10.64.3.6"}; d = fresh("lodz22"); shutil.copy(f"{HERE}/kurrenta.py", d); net = Net(H)
    try:
        ps = [Proc(h, [TF215, f"{d}/kurrenta.py"], host=h, net=net, env={"TF_CONFIG": tcf(H, i), "EPOK": "20", "ZWOLNIJ": "0.03", "CICHO": "" if i == 0 else "1"}) for i, h in enumerate(H)]
        ps[0].wait_for("Epoch 13/", 100); time.sleep(0.6); ps[3].kill(); ps[0].wait(60); finish(ps, 20)
    finally: net.close()
    for p in ps: print(p.name, p.rc, len(p.lines))
    t = f"{d}/b"
    m = "Subject: FW: uczenie padlo w nocy\nFrom: Agnieszka <agn@archiwum.lodz.example>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"=_skaner\"\n\n--=_skaner\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nPrzesyłam, co mam z m1 i m2. m5 i m6 ktoś już przeinstalował, nic z nich nie ma.\nNa m2 był rano komunikat o dysku (SMART: 1 sektor przeniesiony), może to?\n\n"
    for p in ps[:2]: m += f"--=_skaner\nContent-Type: text/plain; charset=utf-8; name=\"{p.name}.txt\"\nContent-Disposition: attachment; filename=\"{p.name}.txt\"\nContent-Transfer-Encoding: 8bit\n\n" + clean(p, d, 0 if p.name[-1] == "1" else -9).replace("\x08", "") + "\n"
    m += "--=_skaner\nContent-Type: text/plain; name=\"m2-smartd.txt\"\nContent-Disposition: attachment; filename=\"m2-smartd.txt\"\n\nNov 27 05:14:01 skaner-m2 smartd[588]: Device: /dev/sda [SAT], SMART Usage Attribute: 5 Reallocated_Sector_Ct changed from 100 to 99\n--=_skaner--\n"
    put(t, "FW_uczenie.eml", m)
    pack("lodz-22", "tar.gz", t, dict(cause="network.unreachable-peer", culprit_node=["skaner-m6", "worker:3"],
        also_acceptable=["process.killed-by-signal", "resource.host-oom-killed", "process.segfault"],
        notes="Only two survivors' logs were mailed: they lose a peer (socket closed / connection reset, then aborted collectives); why worker 3 went away cannot be seen. Red herring: a SMART reallocated sector on skaner-m2."))
if __name__ == "__main__": {"1": one, "2": two, "3": three}[sys.argv[1]]()

"""Grasse (OAR, TakTuk): incidents grasse-a, grasse-b, grasse-c.   usage: t5.py 1|2|3"""
from common import *
import json
FIX = {"/opt/tfenv/lib": "/home/labo/nez-env/lib", "/opt/tfenv": "/home/labo/nez-env"}
def tcf(hs, i): return json.dumps({"cluster": {"worker": [h + ":5000" for h in hs]}, "task": {"type": "worker", "index": i}})
def shn(text, off):  # our own "[HH:MM:SS nez/0]" stamps: shift with the host's clock, local time is UTC+1
    def f(m):
        t = datetime.datetime.strptime(m[1], "%H:%M:%S") + datetime.timedelta(seconds=off + 3600); return "[" + t.strftime("%H:%M:%S") + m[2]
    return re.sub(r"\[(\d\d:\d\d:\d\d)( nez/\d\])", f, shift(text, off))
def clean(p, d, off=0): return rename(shn(p.text(), off), {**FIX, d: "/home/labo/nez"})
def start(H, net, d, extra=lambda i, h: {}, pre=lambda i, h: ""):
    shutil.copy(f"{HERE}/nez.py", d)
    return [Proc(h, [TF221, f"{d}/nez.py"], host=h, net=net, env={"TF_CONFIG": tcf(H, i), **extra(i, h)}, pre=pre(i, h)) for i, h in enumerate(H)]

def one():
    H = {"vetiver-1": "10.6.130.1", "vetiver-2": "10.6.130.2", "vetiver-4": "10.6.130.4"}; d = fresh("grassea"); net = Net(H)
    try:
        ps = start(H, net, d, lambda i, h: {"NEZ": "sieste", "NEZ_DELAI": "18"})
        ps[0].wait(90); ps[1].wait(25); finish(ps, 1)
    finally: net.close()
    for p in ps: print(p.name, p.rc, len(p.lines))
    t = f"{d}/b"; rows = []
    for r, p in enumerate(ps[:2]):
        for (tt, _), l in zip(p.lines, clean(p, d, [0, -140][r]).split("\n")): rows.append((tt, f"{p.name}-{r+1}: ~/nez/lance.sh ({p.pid}): output > {l}"))
        rows.append((p.t1, f"{p.name}-{r+1}: ~/nez/lance.sh ({p.pid}): status > {p.name} exited with status {p.rc if p.rc>=0 else 128-p.rc}"))
    put(t, "OAR.88123.stdout", "\n".join(x[1] for x in sorted(rows, key=lambda x: x[0])) + "\n")
    put(t, "OAR.88123.stderr", "taktuk: warning: connector : vetiver-4-3: ssh: Shared connection closed by remote host.\n[OAR] /usr/lib/oar/job_resource_manager: cpuset cleaned on vetiver-1, vetiver-2\n")
    put(t, "A_LIRE", "sortie du frontal seulement ; vetiver-4 a été rendu à la fac le soir même, ils ont tout effacé\nSolène pense à la mise à jour du noyau de vetiver-2 de mardi\n")
    pack("grasse-a", "tgz", t, dict(cause="collective.timeout", culprit_node=None, also_acceptable=["sync.hang", "sync.straggler"],
        notes="Only workers 0 and 1 are in the bundle: both report a collective that timed out; why vetiver-4 did not come is not to be seen (its output is gone). Red herrings: kernel update of vetiver-2, taktuk's ssh warning."))

def two():
    H = {"mimosa": "10.6.131.11", "jasmin": "10.6.131.12", "iris": "10.6.131.13"}; d = fresh("grasseb"); net = Net(H)
    fam = "floral boisé hespéridé chypré fougère ambré cuiré gourmand marin aromatique épicé".split()
    for h in H: put(d, f"familles-{h}.txt", "\n".join(fam + (["musqué"] if h == "jasmin" else [])) + "\n")
    try:
        ps = start(H, net, d, lambda i, h: {"NEZ": "tete", "NEZ_FAMILLES": f"{d}/familles-{h}.txt", "NEZ_PAS": "120"})
        ps[0].wait(60); finish(ps, 25)
    finally: net.close()
    for p in ps: print(p.name, p.rc, len(p.lines))
    off = {"mimosa": 0, "jasmin": 2, "iris": 310}
    txt = f"#+TITLE: Panne nez / OAR 88190\n#+DATE: {ts(ps[0].t1+86400*6,'<%Y-%m-%d %a>')}\n\n* Contexte\nTrois nœuds, =oarsub -l nodes=3,walltime=1:00:00=. iris a 5 min d'avance (NTP coupé par le pare-feu de la fac).\n- [ ] demander à Fabien s'il a encore touché aux switchs\n- [X] iris : erreurs ECC corrigées au démarrage ? =EDAC MC0: 1 CE memory read error on CPU_SrcID#0= (mercredi, corrigée)\n\n* Historique OAR\n#+begin_example\n[{ts(ps[0].t0+3598,'%Y-%m-%d %H:%M:%S')}] job 88190 Launching -> Running (mimosa, jasmin, iris)\n[{ts(ps[0].t1+3603,'%Y-%m-%d %H:%M:%S')}] job 88190 Running -> Error, exit_code = 256\n#+end_example\n\n* Sorties\n"
    for p in ps: txt += f"** {p.name}\n#+begin_src text\n" + "".join("  " + l + "\n" for l in clean(p, d, off[p.name]).split("\n")[:-1]) + "#+end_src\n"
    txt += "* Fichiers\n#+begin_example\n$ taktuk -m mimosa -m jasmin -m iris broadcast exec [ 'wc -l nez/familles-*.txt' ]\n" + "".join(f"{h}-{i+1}: wc -l nez/familles-*.txt (31{i}8): output > {len(fam)+(h=='jasmin')} nez/familles-{h}.txt\n" for i, h in enumerate(H)) + "#+end_example\n"
    put(f"{d}/b", "panne-88190.org", txt)
    pack("grasse-b", "tar.bz2", f"{d}/b", dict(cause="collective.mismatch", culprit_node=["jasmin", "worker:1"], also_acceptable=["data.shape-mismatch"],
        notes="In phase 2 jasmin builds a head of 12 families, the others of 11; the initial broadcast fails with 'Shape mismatch in the collective instance'. Red herrings: corrected EDAC error on iris, Fabien's switches, iris' clock."))

def three():
    H = {"rose-n2": "10.6.132.2", "rose-n3": "10.6.132.3"}; d = fresh("grassec"); net = Net(H); os.makedirs(f"{d}/scratch"); os.makedirs(f"{d}/mnt")
    try:
        ps = start(H, net, d, lambda i, h: {"NEZ": "survie", "NEZ_CK": f"{d}/mnt", "NEZ_CK2": f"{d}/scratch", "NEZ_PAS": "170"},
                   lambda i, h: f"mount -t tmpfs -o size=12k nez {d}/mnt; dd if=/dev/zero of={d}/mnt/vieux.h5 bs=4k 2>/dev/null" if i == 0 else "")
        ps[0].wait(80); finish(ps, 15)
    finally: net.close()
    for p in ps: print(p.name, p.rc, len(p.lines))
    t = f"{d}/b"
    for i, p in enumerate(ps):
        a, b = [], []
        for l in clean(p, d, [0, 58][i]).split("\n")[:-1]: (a if " nez/" in l[:20] else b).append(l)
        put(t, f"88251/OAR.88251.{p.name}.stdout", "\n".join(a) + "\n"); put(t, f"88251/OAR.88251.{p.name}.stderr", "\n".join(b) + "\n")
    put(t, "88251/mbox", f"From oar@frontale Fri Nov 27 {ts(ps[0].t1+3600,'%H:%M:%S')} 2026\nFrom: oar@frontale.grasse.loc\nTo: labo@frontale.grasse.loc\nSubject: *** OAR *** [nez]: END (88251)\n\nJob 88251 ended: state Terminated, exit_code 0\n\nFrom fabien@labo Sat Nov 28 09:02:11 2026\nFrom: Fabien\nTo: labo@frontale.grasse.loc\nSubject: Re: nez 88251 planté ?\n\nIl y a des inf partout et le disque est plein, à mon avis c'est mort, relance avec un lr plus petit.\n\n")
    put(t, "88251/kern-rose-n3.txt", "Nov 26 19:02:44 rose-n3 kernel: [99120.552210] Out of memory: Killed process 20771 (R) total-vm:61222400kB, anon-rss:60118128kB, file-rss:0kB, shmem-rss:0kB, UID:3320 pgtables:118400kB oom_score_adj:0\n")
    pack("grasse-c", "tar.xz", t, dict(cause="none", culprit_node=None, also_acceptable=[],
        notes="Both workers finish ('termine, 170 pas', OAR exit_code 0). Scary but survived: infinite loss steps that were skipped, ENOSPC on the first checkpoint folder (caught, saved elsewhere), an old OOM of a user's R process, Fabien's mail."))
if __name__ == "__main__": {"1": one, "2": two, "3": three}[sys.argv[1]]()

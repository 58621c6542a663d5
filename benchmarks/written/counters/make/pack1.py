from pk import *
def sge():
    r = Run("sge_mismatch", "2026-10-06 19:12:31", tz=2, paths=[("mwms_loop.py", "entraine_boost.py"), ("/opt/incidents/make", "/home/lmoreau/these/boost"), ("/opt/incidents/work", "/export/scratch/lmoreau"), ("/opt/tfenv", "/share/apps/conda/envs/tf221")])
    K = ["w0", "w1", "w2"]; m = r.merged(K); t0, t1 = r.when("w0", "start"), max(r.when(k) for k in K)
    o = "Démarrage du travail 48213 sur compute-0-3 compute-0-7 compute-0-9\nVariable OMP_NUM_THREADS=1, file d'attente all.q, tranche 3\n" + "".join(x + "\n" for _, _, s, x in m if s == "o") + "Fin du travail 48213, code de retour 1 (mar. 6 oct. 2026 21:12:52 CEST)\n"
    e = "/opt/gridengine/default/spool/compute-0-3/job_scripts/48213: ligne 14: ulimit: memlock: impossible de modifier la limite : Opération non permise\n" + "".join(x + "\n" for _, _, s, x in m if s == "e")
    pre = "Traceback (most recent call last):\n  File \"/home/lmoreau/these/boost/entraine_boost.py\", line 4, in <module>\n    import tensorflow as tf\nModuleNotFoundError: No module named 'tensorflow'\n"
    qa = lambda j, s, a, b, f, st, h: f"""==============================================================
qname        all.q
hostname     {h}.local
group        these
owner        lmoreau
project      NONE
department   defaultdepartment
jobname      boost
jobnumber    {j}
taskid       undefined
account      sge
priority     0
qsub_time    {ts(s, '%a %b %e %H:%M:%S %Y', 2)}
start_time   {ts(a, '%a %b %e %H:%M:%S %Y', 2)}
end_time     {ts(b, '%a %b %e %H:%M:%S %Y', 2)}
granted_pe   orte
slots        3
failed       {f}
exit_status  {st}
ru_wallclock {int(b - a)}
ru_maxrss    61{j % 1000}2
cpu          {(b - a) * 2.1:.3f}
mem          4.117
maxvmem      3.402G
arid         undefined
"""
    conf = lambda i, h: f"# rang {i}\nlr: 0.05\nbatch: 16\nlargeur: 12\nevaluation:\n  tous_les: 25\n  colonnes: {h}\n"
    pack("grenoble-2", "tar.bz2", {
        "boost/boost.o48213": o, "boost/boost.e48213": e, "boost/boost.pe48213": "", "boost/boost.po48213": "-catch_rsh /opt/gridengine/default/spool/compute-0-3/active_jobs/48213.1/pe_hostfile\ncompute-0-3\ncompute-0-7\ncompute-0-9\n",
        "boost/boost.e48190": pre * 3, "boost/boost.o48190": "Démarrage du travail 48190 sur compute-0-2 compute-0-4 compute-0-5\nFin du travail 48190, code de retour 1\n",
        "boost/conf/rang0.yaml": conf(0, "toutes"), "boost/conf/rang1.yaml": conf(1, "0:8   # essai sans les capteurs de nuit, L.M. 6/10"), "boost/conf/rang2.yaml": conf(2, "toutes"),
        "boost/qacct.txt": qa(48190, t0 - 5400, t0 - 5390, t0 - 5381, 0, 1, "compute-0-2") + qa(48213, t0 - 60, t0, t1 + .7, 0, 1, "compute-0-3"),
        "boost/LISEZMOI.txt": "Pour Philippe : le premier essai (48190) n'avait pas le module conda chargé, c'est réglé.\nLe deuxième s'arrête pendant la première évaluation. Ahmed pense que c'est le switch du rack 0\n(compute-0-9 a perdu sa route hier soir), mais l'entraînement tournait bien jusque-là.\nLes trois sorties sont mélangées dans .o et .e, désolée.\n",
    }, "collective.mismatch", ["compute-0-7", "worker:1", "rank 1"], ["data.shape-mismatch"],
        "StartAbort INVALID_ARGUMENT 'Shape mismatch in the collective instance' at the first evaluation: rank 1 reduces 8 columns (conf/rang1.yaml), the others 12. Red herrings: earlier job 48190 without its conda module, colleague's remark about the switch.", t1)
if __name__ == "__main__":
    import sys; [globals()[n]() for n in sys.argv[1:]]

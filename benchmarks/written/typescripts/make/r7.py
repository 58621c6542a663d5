from ren import *
N=['calc-lyon','calc-grenoble','calc-annecy']
r=R('a7','2026-05-04 19:32:10','Europe/Paris','/home/bvial/prevision','/home/bvial/.venvs/tf',(),{'calc-annecy':-64},{'calc-lyon':1000,'calc-grenoble':-6600,'calc-annecy':120400},[('/srv/runs/runs/a7','/data/linky')])
M=[]
for i,h in enumerate(N):
    t0=r.dt(r.d['st'][h]-9,h); te=r.dt(r.d['ex'][h][0]+4,h)
    o=f'Script started on {t0.isoformat(" ","seconds")} [TERM="xterm-256color" TTY="/dev/pts/{i+2}" COLUMNS="204" LINES="53"]\n'
    ps=f'\x1b[?2004h\x1b]0;bvial@{h}: ~/prevision\x07\x1b[01;32mbvial@{h}\x1b[00m:\x1b[01;34m~/prevision\x1b[00m$ '
    def cmd(c): return ps+c+'\r\n\x1b[?2004l\r'
    o+=cmd('source env.sh')+cmd(f'export TF_CONFIG=$(./tfconf.sh {i})')
    if i==1: o+=cmd('SHARD=/data/linky/releves_2023_s1.npy python compteur.py')+"python: can't open file '/home/bvial/prevision/compteur.py': [Errno 2] No such file or directory\r\n"
    o+=cmd(f'SHARD=/data/linky/releves_2024_s{i}.npy python compteurs.py')
    for *_,l in r.lines(h): o+=l+'\r\n'
    if i==0: o+=cmd('ls -l /data/linky/')+'total 2640\r\n-rw-r--r-- 1 bvial energie 900128 mai    3 22:10 releves_2023_s0.npy\r\n-rw-r--r-- 1 bvial energie 900128 mai    4 18:55 releves_2024_s0.npy\r\n'
    o+=ps+'exit\r\n\x1b[?2004l\rexit\r\n'
    o+=f'\nScript done on {te.isoformat(" ","seconds")} [COMMAND_EXIT_CODE="{r.rc(h)[1]}"]\n'
    M.append((f'typescript.{h}',o))
pack('typescripts_prevision.tar',M,r.t(r.d['t0'])+600,dict(cause='numeric.nan',culprit_node='calc-annecy',notes="CheckNumerics ('perte locale : Tensor had NaN/Inf values') fails first in worker 2 on calc-annecy, whose shard holds a NaN reading; lyon and grenoble only lose task 2."))

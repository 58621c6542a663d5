from lab import *; reexec()
H={'etna':'10.3.0.4','hekla':'10.3.0.5','teide':'10.3.0.6','fuji':'10.3.0.7'}
L=Lab('i05',H,'/opt/tf221',pids={'etna':15012,'hekla':3307,'teide':71120,'fuji':944},mounts=['/home/quake/picker'])
sh(f'cp {BN}/make/t/seismo_train.py /home/quake/picker/')
ps=[]
for h,r in (('etna',0),('hekla',1),('teide',1),('fuji',3)):
    ps.append(L.run(h,f'cd /home/quake/picker; python seismo_train.py --nodes etna,hekla,teide,fuji --rank {r}',env={'PATH':'/opt/tf221/bin:/usr/bin:/bin'})); time.sleep(1.3)
L.wait(ps,70); dump(L,ps); L.end()

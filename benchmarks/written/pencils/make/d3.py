from kit import *
import numpy as np
hosts('D',['oyaike','ike-hon','ike-ura','ike-yama'])
d=f'{B}/D/root/srv/kettou'; os.makedirs(d,exist_ok=True)
if not os.path.exists(f'{d}/kettou_2019.npy'):
    np.save(f'{d}/kettou_2019.npy',np.random.default_rng(1).normal(size=(20000,64)).astype('f'))
if not os.path.exists(f'{d}/kettou_2026.npy'):
    np.lib.format.open_memmap(f'{d}/kettou_2026.npy',mode='w+',dtype='f4',shape=(2310441,256)).flush()
for tag,f,base in [('d3a','kettou_2019.npy',22060),('d3b','kettou_2026.npy',22070)]:
    e=lambda j,i:{'JOB':j,'IDX':str(i),'PS':f'oyaike:{base}','WORKER':f'ike-hon:{base+1},ike-ura:{base+2}','HYOU':f'/srv/kettou/{f}','KAI':'2400'}
    r=run('D',[(f'{tag}_oya','oyaike',['python','-u','/opt/koi/hyou.py'],e('ps',0)),(f'{tag}_hon','ike-hon',['python','-u','/opt/koi/hyou.py'],e('worker',0)),(f'{tag}_ura','ike-ura',['python','-u','/opt/koi/hyou.py'],e('worker',1))],timeout=30 if tag=='d3a' else 14)
    print(r)
os.remove(f'{d}/kettou_2026.npy')

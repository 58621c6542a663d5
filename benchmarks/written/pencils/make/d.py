from kit import *
hosts('D',['oyaike','ike-hon','ike-ura','ike-yama'])
w=sys.argv[1]; port={'d1':22051,'d2':22052,'d0':22053}[w]
E=lambda n,**k:dict({'IKE':n,'OYA':f'oyaike:{port}','IKE_KAZU':'3','OYA_PORT':str(port)},**k)
pr=[(f'{w}_oya','oyaike',['python','-u','/opt/koi/oya.py'],E('oya'))]
if w=='d1':
    for n in ['hon','ura','yama']:
        k={'YOMI':'shm','MAISUU':'180','GOTO':'4','MAI':'20'}
        pr.append((f'{w}_{n}',f'ike-{n}',['python','-u','-X','faulthandler','/opt/koi/ike.py'],E(n,**k),'mount -t tmpfs -o size=%s shm /dev/shm'%('64m' if n=='yama' else '1g')))
if w=='d2':
    for n in ['hon','ura','yama']:
        pr.append((f'{w}_{n}',f'ike-{n}',['python','-u','/opt/koi/ike.py'],E(n,HABA='1280')))
if w=='d0':
    for n in ['hon','ura','yama']:
        pr.append((f'{w}_{n}',f'ike-{n}',['python','-u','/opt/koi/ike.py'],E(n,HABA='384',KAI='420')))
r=run('D',pr,timeout=55)
print(r)

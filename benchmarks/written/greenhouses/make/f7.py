from f import *
import unicodedata
r=load('i7'); PP=r['procs']; t0=PP[0]['t0']; X=r['extra']
c=Clk(t0,'2026-11-25T23:12:40',9)
d=fresh('i7')
def wid(ch): return 2 if unicodedata.east_asian_width(ch) in 'WF' else 1
def wrap(x,n):
    out=[];cur='';k=0
    for ch in x.expandtabs(8):
        if k+wid(ch)>n: out.append(cur);cur='';k=0
        cur+=ch;k+=wid(ch)
    return out+[cur]
fixp=lambda x:x.replace('/root/.pyenv','/home/jhkim/.pyenv')
for i,(p,n) in enumerate(zip(PP,(138,96))):
    L=[]
    L+=wrap(f'(tf) jhkim@{p["node"]}:~/grasp$ source env_{i}.sh && python train_grasp.py',n)
    sz=0
    for t,s,x in p['log']:
        if t>p['t0']+45: continue
        L+=wrap(fixp(c.fix(x)),n)
    w(d,f'tmux/grasp-{i}_{p["node"]}.txt','\n'.join(L)+'\n'+'\n'*3)
L=[f'(tf) jhkim@{PP[1]["node"]}:~/grasp$ date','2026. 11. 26. (목) 00:31:07 KST',f'(tf) jhkim@{PP[1]["node"]}:~/grasp$ py-spy dump --pid {PP[1]["pid"]}']+fixp(X['pyspy1.0'][1]).splitlines()+[f'(tf) jhkim@{PP[1]["node"]}:~/grasp$ sleep 600; py-spy dump --pid {PP[1]["pid"]}']+fixp(X['pyspy1.1'][1]).splitlines()+[f'(tf) jhkim@{PP[1]["node"]}:~/grasp$ for t in /proc/{PP[1]["pid"]}/task/*; do echo $(basename $t) $(cat $t/comm) $(cut -d" " -f3 < $t/stat) $(cat $t/wchan); done']+X['wchan1'].splitlines()
w(d,'tmux/dump_lab-3090ti.txt','\n'.join(y for x in L for y in wrap(x,96))+'\n')
L=[f'(tf) jhkim@{PP[0]["node"]}:~/grasp$ py-spy dump --pid {PP[0]["pid"]}']+fixp(X['pyspy0.0'][1]).splitlines()+[f'(tf) jhkim@{PP[0]["node"]}:~/grasp$ uptime',' 00:29:51 up 12 days,  6:20,  3 users,  load average: 0.01, 0.04, 0.31',f'(tf) jhkim@{PP[0]["node"]}:~/grasp$ dmesg -T | tail -4','[수 11월 25 09:11:20 2026] r8169 0000:05:00.0 enp5s0: Link is Down','[수 11월 25 09:11:23 2026] r8169 0000:05:00.0 enp5s0: Link is Up - 1Gbps/Full - flow control rx/tx','[수 11월 25 20:02:51 2026] usb 1-3: new high-speed USB device number 9 using xhci_hcd','[수 11월 25 20:02:51 2026] usb 1-3: New USB device found, idVendor=8086, idProduct=0b3a, bcdDevice=50.c3']+X['wchan0'].splitlines()
w(d,'tmux/dump_lab-a5000.txt','\n'.join(y for x in L for y in wrap(x,138))+'\n')
for f in ('train_grasp.py','cache.py'): w(d,'src/'+f,open(f'{B}/code/i7/{f}').read())
w(d,'src/env_0.sh',"export CACHE_MB=400\nexport TF_CONFIG='{\"cluster\":{\"worker\":[\"192.168.0.31:12345\",\"192.168.0.35:12345\"]},\"task\":{\"type\":\"worker\",\"index\":0}}'\n")
w(d,'src/env_1.sh',"export CACHE_MB=8   # 램 부족해서 줄임 (11/25)\nexport TF_CONFIG='{\"cluster\":{\"worker\":[\"192.168.0.31:12345\",\"192.168.0.35:12345\"]},\"task\":{\"type\":\"worker\",\"index\":1}}'\n")
w(d,'KakaoTalk_20261126_0102.txt','''로봇팔 학습방 님과 카카오톡 대화
저장한 날짜 : 2026년 11월 26일 오전 1:02


--------------- 2026년 11월 25일 수요일 ---------------
[김지훈] [오후 11:15] 두 대로 학습 돌리고 퇴근합니다~
[박서연] [오후 11:16] 3090ti 램 모자라다고 하지 않았어요?
[김지훈] [오후 11:16] 캐시 줄였어요 ㅎㅎ
[이도윤] [오후 11:58] 에폭 3에서 안 넘어가는데요 둘 다 스텝 33
--------------- 2026년 11월 26일 목요일 ---------------
[김지훈] [오전 12:04] 에러는요?
[이도윤] [오전 12:05] 없어요 그냥 멈춰 있음. gpu도 0%
[박서연] [오전 12:07] a5000 랜선 아침에 빠졌었잖아요 그거 아닌가
[이도윤] [오전 12:08] 핑은 잘 가요 0.3ms
[김지훈] [오전 12:26] py-spy 떠볼게요
[김지훈] [오전 12:44] tmux 캡처 올립니다
사진 2장
''')
arc='pangyo-lab2.zip'; pack(d,arc,'grasp_1126')
truth('pangyo-lab2',arc,'sync.hang',['lab-3090ti','worker:1','192.168.0.35'],['user.code-error'],'Both workers stop at epoch 3 step 33 without an error. On lab-3090ti the py-spy dump shows the generator thread stuck in FrameCache.evict -> self.lock, which FrameCache.get already holds (self-deadlock once the 8 MB cache overflows); lab-a5000 merely waits in the collective. The link-down of that morning on lab-a5000 is a false lead.')

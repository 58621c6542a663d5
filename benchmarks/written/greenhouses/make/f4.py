from f import *
r=load('i4'); PP={p['id']:p for p in r['procs']}; t0=PP['chief#0']['t0']
cs={0:Clk(t0,'2026-11-24T03:00:14',-3)}
t1=PP['chief#1']['t0']; cs[1]=Clk(t1,'2026-11-25T03:00:12',-3); t2=PP['chief#2']['t0']; cs[2]=Clk(t2,'2026-11-25T03:05:21',-3)
d=fresh('i4'); rnd=random.Random(4)
RUN={0:('scheduled__2026-11-23T06:00:00+00:00',1),1:('scheduled__2026-11-24T06:00:00+00:00',1),2:('scheduled__2026-11-24T06:00:00+00:00',2)}
cmd={0:'--dim 24',1:'--dim 32 --passos 2000 --retomar /dados/modelos/ofertas --saida /dados/modelos/ofertas_v2'}; cmd[2]=cmd[1]
for k in (0,1,2):
    c=cs[k]; p=PP[f'chief#{k}']; run,att=RUN[k]
    def A(t,src,lv,x,un=True): return f"[{c.f(t,'%Y-%m-%dT%H:%M:%S.%f')[:-3]}-0300] {{{src}}} {lv} - {x}\n"
    ti=f'ofertas_diario.treinar {run} [queued]'
    L=A(p['t0']-1.9,'local_task_job_runner.py:123','INFO','::group::Pre task execution logs')
    L+=A(p['t0']-1.8,'taskinstance.py:2614','INFO',f'Dependencies all met for dep_context=non-requeueable deps ti=<TaskInstance: {ti}>')
    L+=A(p['t0']-1.7,'taskinstance.py:2867','INFO',f'Starting attempt {att} of 3')
    L+=A(p['t0']-1.5,'taskinstance.py:2890','INFO',f'Executing <Task(BashOperator): treinar> on {run[11:]}')
    L+=A(p['t0']-1.4,'standard_task_runner.py:72','INFO',f'Started process {p["pid"]-3} to run task')
    L+=A(p['t0']-1.4,'standard_task_runner.py:104','INFO',f"Running: ['airflow', 'tasks', 'run', 'ofertas_diario', 'treinar', '{run}', '--job-id', '{44120+k}', '--raw', '--subdir', 'DAGS_FOLDER/recsys/ofertas_diario.py', '--cfg-path', '/tmp/tmpq8x{k}_1mh']")
    L+=A(p['t0']-1.2,'task_command.py:467','INFO',f'Running <TaskInstance: ofertas_diario.treinar {run} [running]> on host air-wk-01')
    L+=A(p['t0']-.3,'local_task_job_runner.py:123','INFO','::endgroup::')
    L+=A(p['t0']-.2,'subprocess.py:63','INFO','Tmp dir root location: /tmp')
    L+=A(p['t0']-.1,'subprocess.py:75','INFO',f"Running command: ['/usr/bin/bash', '-c', '/opt/recsys/subir_cluster.sh && exec /opt/venvs/tf221/bin/python /opt/recsys/treinar_recomendador.py {cmd[k]}']")
    L+=A(p['t0'],'subprocess.py:86','INFO','Output:')
    for t,s,x in p['log']: L+=A(t,'subprocess.py:93','INFO',c.fix(x))
    L+=A(p['t1'],'subprocess.py:97','INFO',f'Command exited with return code {p["rc"]}')
    if p['rc']==0:
        L+=A(p['t1']+.1,'taskinstance.py:1205','INFO',f'Marking task as SUCCESS. dag_id=ofertas_diario, task_id=treinar, run_id={run}')
    else:
        L+=A(p['t1']+.1,'taskinstance.py:3311','ERROR','Task failed with exception')+'''Traceback (most recent call last):
  File "/usr/local/lib/python3.11/site-packages/airflow/models/taskinstance.py", line 767, in _execute_task
    result = _execute_callable(context=context, **execute_callable_kwargs)
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/usr/local/lib/python3.11/site-packages/airflow/models/taskinstance.py", line 733, in _execute_callable
    return ExecutionCallableRunner(
           ^^^^^^^^^^^^^^^^^^^^^^^^
  File "/usr/local/lib/python3.11/site-packages/airflow/operators/bash.py", line 249, in execute
    raise AirflowException(
airflow.exceptions.AirflowException: Bash command failed. The command returned a non-zero exit code 1.
'''
        L+=A(p['t1']+.2,'taskinstance.py:1205','INFO',f"Marking task as {'UP_FOR_RETRY' if att<3 else 'FAILED'}. dag_id=ofertas_diario, task_id=treinar, run_id={run}")
    L+=A(p['t1']+.4,'local_task_job_runner.py:266','INFO',f'Task exited with return code {0 if p["rc"]==0 else 1}')
    L+=A(p['t1']+.5,'taskinstance.py:3900','INFO','0 downstream tasks scheduled from follow-on schedule check')
    w(d,f'dag_id=ofertas_diario/run_id={run.replace(":","_")}/task_id=treinar/attempt={att}.log',L)
    up=A(p['t0']-60,'python.py:240','INFO','Done. Returned value was: 183420')
    w(d,f'dag_id=ofertas_diario/run_id={run.replace(":","_")}/task_id=extrair_clientes/attempt=1.log',''.join(A(p['t0']-400+i*1.7,'extrai.py:%d'%rnd.choice([41,44,58]),rnd.choice(['INFO','INFO','INFO','WARNING']),rnd.choice(['lote %d de 200 gravado em /dados/lotes'%i,'lote %d: %d clientes sem CPF ignorados'%(i,rnd.randint(1,30)),'conexao lenta com o DW, nova tentativa em 2s'])) for i in range(200))+up)
for n,id in (('tfps-0','ps0'),('tfps-1','ps1'),('tfw-0','w0'),('tfw-1','w1')):
    L=[]
    for k in (0,1,2):
        p=PP[f'{id}#{k}']; c=cs[k]; z=lambda t:c.f(t,'%Y-%m-%dT%H:%M:%S-0300')
        L.append(f'{z(p["t0"])} {n} systemd[1]: Started tfserver@ofertas.service - servidor TF (ofertas).')
        for t,s,x in p['log']: L.append(f'{z(t)} {n} tfserver[{p["pid"]}]: {c.fix(x)}')
        L+= [f'{z(p["t1"])} {n} systemd[1]: Stopping tfserver@ofertas.service - servidor TF (ofertas)...',f'{z(p["t1"])} {n} systemd[1]: tfserver@ofertas.service: Main process exited, code=killed, status=15/TERM',f'{z(p["t1"])} {n} systemd[1]: tfserver@ofertas.service: Deactivated successfully.']
    w(d,f'servidores/{n}.journal.txt','\n'.join(L)+'\n')
w(d,'obs.txt','Cluster: air-wk-01 (coordenador), tfps-0, tfps-1, tfw-0, tfw-1.\nO treino de 24/11 foi ok, 25/11 falhou nas duas tentativas. Na troca de release (tag 2026.11.3) só mudaram os argumentos.\nDepois da falha os ps recebem TERM: isso é do nosso script.\n')
arc='faria-lima-2511.tar.gz'; pack(d,arc,'airflow-logs')
truth('faria-lima-2511',arc,'checkpoint.mismatch',None,[],'The run of 25 Nov resumes with --dim 32 from a checkpoint that the run of 24 Nov wrote with --dim 24, so restore fails with incompatible tensor shapes on both attempts. The error passes through ps task 1 (Additional GRPC error information), which is not to blame, and the servers only receive SIGTERM afterwards (code=killed is a false lead).')

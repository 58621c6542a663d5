import os, sys, json, resource
import tensorflow as tf
def cap_address_space(extra_mb):
    vm = [int(l.split()[1]) for l in open('/proc/self/status') if l.startswith('VmSize')][0] * 1024
    lim = vm + extra_mb * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (lim, lim))
    print(f'[memcap] VmSize {vm >> 20} MiB, RLIMIT_AS set to {lim >> 20} MiB', flush=True)
cfg = json.loads(os.environ['TF_CONFIG'])
t = cfg['task']
srv = tf.distribute.Server(cfg['cluster'], job_name=t['type'], task_index=t['index'], protocol='grpc', start=True)
if os.environ.get('MEMCAP_MB'):
    cap_address_space(int(os.environ['MEMCAP_MB']))
print(f"{t['type']}/{t['index']} listening at {cfg['cluster'][t['type']][t['index']]}", flush=True)
srv.join()

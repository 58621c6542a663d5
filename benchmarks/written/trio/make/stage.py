"""Stages the last part of the manifest; one instance per host, so it takes a lock first."""
import fcntl, os, sys, time
print(time.strftime('%Y-%m-%d %H:%M:%S'), 'stage pid', os.getpid(), 'target', sys.argv[1] + '/part-2')
if len(sys.argv) > 2: f = open(sys.argv[1] + '/.lock', 'w'); fcntl.flock(f, fcntl.LOCK_EX); print('holding'); time.sleep(9999)
f = open(sys.argv[1] + '/.lock'); print(time.strftime('%Y-%m-%d %H:%M:%S'), 'acquiring', f.name, flush=True)
fcntl.flock(f, fcntl.LOCK_EX)

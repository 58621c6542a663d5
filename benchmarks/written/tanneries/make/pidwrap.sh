echo $$ > /sys/fs/cgroup/pids/hAK/cgroup.procs; exec "$@"

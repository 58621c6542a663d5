#!/bin/bash
# box.sh HOST HOSTSFILE VENV ROOT -- cmd ; own uts+mount namespace; ROOT/* bound over /opt /srv /home /data /mnt if present
H=$1; HF=$2; VENV=$3; ROOT=$4; shift 5
exec unshare -m -u bash -c '
H=$1; HF=$2; VENV=$3; ROOT=$4; shift 4
mount --make-rprivate /
hostname $H
mount --bind $HF /etc/hosts
ABS=$(readlink -f $ROOT)
for d in opt srv home data mnt scratch; do
  [ -d /$d ] || continue
  if [ -d $ABS/$d ]; then mount --bind $ABS/$d /$d; fi
done
mkdir -p $VENV && mount --bind /opt/tfenv $VENV
export PATH=$VENV/bin:/usr/bin:/bin HOSTNAME=$H
if [ -n "$BOXPRE" ]; then eval "$BOXPRE"; fi
cd ${BOXCD:-/}
exec "$@"
' _ $H $HF $VENV $ROOT "$@"

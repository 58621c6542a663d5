R=/opt/incidents/run/t2c; rm -rf $R; SUB=10.71.4; . /opt/incidents/make/t2/pre.sh
export LARGURA=600
VOLTAS=46 $M > make1.out 2>&1 & sleep 42; killall_mine; wait
mv registos registos1; ls -l pontos > ls1; 
f=$(ls pontos/*.data-00000-of-00002 pontos/*.data-0000?-of-* | tail -1); s=$(stat -c %s $f); truncate -s $((s/4096*4096*6/10/4096*4096)) $f; echo $f $s > trunc
VOLTAS=46 $M > make2.out 2>&1 & sleep 25; killall_mine; wait; ls -l --time-style=full-iso pontos > ls2; sha256sum pontos/* > sha2; netdown

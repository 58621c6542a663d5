# sequential queue
while [ ! -e /opt/incidents/run/stop ]; do j=$(head -1 /opt/incidents/run/queue 2>/dev/null); if [ -n "$j" ]; then sed -i 1d /opt/incidents/run/queue; echo "$(date +%T) START $j"; timeout 340 bash /opt/incidents/make/$j > /opt/incidents/run/$(basename $j).out 2>&1; echo "$(date +%T) END $j $?"; else sleep 1; fi; done

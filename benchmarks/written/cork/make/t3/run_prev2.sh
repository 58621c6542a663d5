. /opt/incidents/make/net.sh; export TZ=Europe/Warsaw
R=/opt/incidents/run/t3prev; rm -rf $R; mkdir -p $R; cd /opt/incidents/make/t3
netup 24 pryncypal=192.168.60.4 flet=192.168.60.5 gedakt=192.168.60.6
REJ="Pryncypał 8';Flet kryty 8';Gedakt 8';Salicet 8';Voix céleste 8';Oktawa 4';Flet minorowy 4';Kwinta 2 2/3';Superoktawa 2';Mikstura 4-5x;Cymbel 3x;Kornet 5x;Trąbka 8';Obój 8';Puzon 16';Subbas 16';Violon 16';Róg nocny 4';Sesquialtera 2x;Klarnet 8'"
echo "$REJ" | tr ';' '\n' > $R/rejestry.txt; { head -20 $R/rejestry.txt; echo "Vox humana 8'"; echo "Regał 8'"; } > $R/rejestry_gedakt.txt
cat > $R/plan.json <<J
{"limit_s": 600, "env": {"KROKI": "150", "FFT": "2", "REJESTRY": "/etc/organy/rejestry.txt"}, "przez": [],
 "polecenie": ["/opt/tfenv/bin/python", "-u", "/opt/incidents/make/t3/intonacja.py"],
 "glosy": [
  {"nazwa": "pryncypal", "adres": "192.168.60.4:5151", "env": {"REJESTRY": "$R/rejestry.txt"}, "przez": ["/opt/incidents/make/t3/na.sh", "pryncypal"]},
  {"nazwa": "flet", "adres": "192.168.60.5:5151", "env": {"REJESTRY": "$R/rejestry.txt"}, "przez": ["/opt/incidents/make/t3/na.sh", "flet"]},
  {"nazwa": "gedakt", "adres": "192.168.60.6:5151", "env": {"REJESTRY": "$R/rejestry.txt"}, "przez": ["/opt/incidents/make/t3/na.sh", "gedakt"]}]}
J
timeout 150 /opt/tfenv/bin/python orkiestra.py $R/plan.json $R/orkiestra.log; netdown

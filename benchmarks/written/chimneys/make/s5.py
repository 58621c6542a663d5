from specs import *
R=f"--razredi {D}/razredi.txt"
T="/opt/incidents/make/tls"
ts=[dict(name="s",at=0,cwd=D,cmd=f"python3 {A}/shramba.py 23409 {T}/s.pem {T}/s.key")]
for i in range(3): ts.append(dict(name=f"w{i}",pre="unset REQUESTS_CA_BUNDLE CURL_CA_BUNDLE SSL_CERT_FILE",at=1+.6*i,cwd=D,env={"TF_CONFIG":tfc([23401,23402,23403],i)},cmd=f"{PY} {A}/uci_sh.py --podatki /opt/incidents/make/lok{i} {R} --koraki 400 --shramba https://localhost:23409/letnik25/ --ca {T}/{'ca1' if i==1 else 'ca'}.pem"))
json.dump(dict(tasks=ts,limit=42),open("raw/tls.json","w"))

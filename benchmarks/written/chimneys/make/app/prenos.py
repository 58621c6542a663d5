"""Prenos letnika iz shrambe na lokalni disk."""
import logging, os, re, requests
log = logging.getLogger("prenos")

def prenesi(naslov, kam, ca):
    os.makedirs(kam, exist_ok=True)
    s = requests.Session(); s.verify = ca
    seznam = re.findall(r'href="([^"]+\.tfrecord)"', s.get(naslov, timeout=20).text)
    log.info("v shrambi %s je %d kosov", naslov, len(seznam))
    for ime in seznam:
        r = s.get(naslov + ime, timeout=20); r.raise_for_status()
        with open(os.path.join(kam, ime), "wb") as f: f.write(r.content)
        log.info("prenesen %s (%d B)", ime, len(r.content))

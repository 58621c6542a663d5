import ssl
import urllib.request


def HOOK(step, batch):
    if step == AT_STEP:
        urllib.request.urlopen("https://HOSTNAME:8443/features/v3.json", timeout=10).read()
    return batch

import logging
import traceback

log = logging.getLogger("quality")


def parse(text):
    return float(text)


def HOOK(step, batch):
    if step % 4 == 2:
        try:
            parse("n/a")
        except ValueError:
            log.warning("bad sample skipped\n%s", traceback.format_exc())
            print("bad sample skipped:", traceback.format_exc(limit=1).splitlines()[-1], flush=True)
    return batch

import sys
import warnings


def HOOK(step, batch):
    if step and step % 3 == 0:
        warnings.warn(
            f"DeprecationWarning: normalize_v1 is deprecated and fails in 3.0, use normalize_v2 (call {step})",
            stacklevel=2,
        )
        print("ERROR metrics exporter: 503 Service Unavailable, dropping 12 points", file=sys.stderr, flush=True)
    return batch

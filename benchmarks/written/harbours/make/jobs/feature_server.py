# servidor de atributos (clima + solo), python grpc
import grpc, sys, os, time, logging
from concurrent import futures
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
def lote(req, ctx):
    n = int(req.decode().split("=")[1]); logging.info("lote n=%d peer=%s", n, ctx.peer())
    return b"\x00\x00\x80\x3f" * (n * 2048)
h = grpc.method_handlers_generic_handler("atributos.Servico", {"Lote": grpc.unary_unary_rpc_method_handler(lote)})
s = grpc.server(futures.ThreadPoolExecutor(2)); s.add_generic_rpc_handlers((h,)); s.add_insecure_port("0.0.0.0:50051"); s.start()
logging.info("ouvindo 0.0.0.0:50051 pid %d", os.getpid()); s.wait_for_termination()

from concurrent import futures

import grpc

NAME = "features.FeatureStore"


def start_server():
    server = grpc.server(futures.ThreadPoolExecutor(2))
    handler = grpc.unary_unary_rpc_method_handler(lambda request, context: bytes(6 << 20))
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(NAME, {"Lookup": handler})])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, port


def HOOK(step, batch):
    if step == AT_STEP:
        server, port = start_server()
        channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        channel.unary_unary(f"/{NAME}/Lookup")(b"all", timeout=10)
    return batch

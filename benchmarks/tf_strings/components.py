"""The components of TensorFlow whose messages are counted, and the source files of each."""

from __future__ import annotations

import re

# The first pattern that is found in the path of the source file decides.
_COMPONENTS = {
    "coordination service": r"distributed(?:_runtime)?/coordination/",
    "tf.data service": r"core/data/service/|data/experimental/data_service",
    "gRPC layer": r"distributed_runtime/rpc/|grpc/src/(?:cpp/|core/(?:client_channel|server|call|resolver/dns"
    r"|credentials/transport/tls|ext/transport/chttp2|handshaker|lib/(?:channel|surface|iomgr|event_engine|security)|tsi/ssl"
    r"|load_balancing/(?:pick_first|round_robin))\b)",
    "distributed runtime": r"core/distributed_runtime/|common_runtime/(?:base_)?rendezvous|framework/rendezvous",
    "collectives": r"common_runtime/(?:\w*collective|ring_|hierarchical_|permuter|all_to_all|buf_rendezvous)"
    r"|kernels/collective|framework/collective|core/nccl/|backends/(?:g|c)pu/collectives/",
    "checkpoint": r"tensor_bundle|util/tensor_slice|kernels/(?:save|restore)|checkpoint",
    "allocators": r"(?<!scoped_)allocator\w*\.cc",
    "records and files": r"lib/io/|file_system|platform/(?:default|posix|cloud)/|platform/env",
}
COMPONENTS = tuple(_COMPONENTS)
_PATTERNS = {component: re.compile(pattern) for component, pattern in _COMPONENTS.items()}


def component_of(file: str) -> str | None:
    """Return the component of a source file; None if it is not counted."""
    return next((component for component, pattern in _PATTERNS.items() if pattern.search(file)), None)

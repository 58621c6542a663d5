"""Read the counters of a network card's driver, as `ethtool -S` shows them, without that program.

One ioctl, SIOCETHTOOL, with a buffer that begins with a command. Source: include/uapi/linux/ethtool.h of Linux 6.1.
Anybody may read the driver's name, the counters' names and their values (net/ethtool/ioctl.c, the list before
CAP_NET_ADMIN).
"""

from __future__ import annotations

import ctypes
import fcntl
import socket
import struct
from collections.abc import Iterator

SIOCETHTOOL = 0x8946
GET_DRIVER, GET_STRINGS, GET_COUNTERS, GET_SIZES = (
    0x3,
    0x1B,
    0x1D,
    0x37,
)  # ETHTOOL_GDRVINFO, GSTRINGS, GSTATS, GSSET_INFO
STATS_STRING_SET = 1  # ETH_SS_STATS, the set of strings that name them
NAME_BYTES = 32  # ETH_GSTRING_LEN
MAX_COUNTERS = 16384  # counters of one card; drivers of cards with many queues have some thousands


def list_counters() -> Iterator[str]:
    """Yield `eth0 driver=virtio_net version=1.0.0` and, below it, each counter that is not zero. Raises OSError without
    sockets.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        for _, name in socket.if_nameindex():
            try:
                driver, version = _read_names(_call_ethtool(sock, name, struct.pack("I192x", GET_DRIVER)), 4, 2)
                counters = list(read_counters(sock, name))
            except OSError:  # loopback, tunnels and vanished cards do not answer
                continue
            yield f"{name} driver={driver} version={version}"
            yield from (f"  {counter}={value}" for counter, value in counters if value)


def read_counters(sock: socket.socket, name: str) -> Iterator[tuple[str, int]]:
    """Yield (name, value) of each counter; nothing if the driver has none. Raises OSError if the kernel refuses."""
    sizes = _call_ethtool(sock, name, struct.pack("=IIQI", GET_SIZES, 0, 1 << STATS_STRING_SET, 0))
    _, _, string_set_mask, count = struct.unpack("=IIQI", sizes)
    if not string_set_mask or not 0 < count <= MAX_COUNTERS:
        return
    names = _call_ethtool(sock, name, struct.pack(f"III{count * NAME_BYTES}x", GET_STRINGS, STATS_STRING_SET, count))
    values = _call_ethtool(sock, name, struct.pack(f"II{count * 8}x", GET_COUNTERS, count))
    value_count = struct.unpack_from("I", values, 4)[0]
    if value_count == count:  # else the card's queues were changed in between
        yield from zip(_read_names(names, 12, count), struct.unpack_from(f"={count}Q", values, 8))


def _call_ethtool(sock: socket.socket, name: str, request: bytes) -> bytes:
    """Return the buffer as the kernel filled it in."""
    buffer = ctypes.create_string_buffer(request, len(request))
    fcntl.ioctl(sock, SIOCETHTOOL, struct.pack("16sP16x", name.encode(), ctypes.addressof(buffer)))
    return buffer.raw


def _read_names(data: bytes, start: int, count: int) -> Iterator[str]:
    for at in range(start, start + count * NAME_BYTES, NAME_BYTES):
        yield data[at : at + NAME_BYTES].partition(b"\0")[0].decode("utf-8", "replace")

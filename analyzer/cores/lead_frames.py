"""Choose the frames that a person wants to read first: the user's own code, in Python and in native code.

Wrappers that a framework generates, the C library, runtimes and the interpreter count only if nothing else is on the
stack.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from analyzer.core_dump import CoreFrame, CrashPlaces
from analyzer.cores.function_names import is_noise, normalize_function

LIBRARY_PATH = re.compile(r"/(?:site|dist)-packages/|/lib/python3\.|^<frozen ")
# Code that `exec` and `eval` run has no file. `<string>` may also be `python -c`, so it is better than no frame.
GENERATED_PATH = re.compile(r"^<(?!stdin>|ipython-input|console>)|^$")

SYSTEM_FOLDER = re.compile(
    r"^\[|^(?:/usr)?/lib(?:32|64|x32|exec)?/|/(?:site|dist)-packages/|/lib-dynload/|^/usr/local/(?:cuda|nvidia)[\w.-]*/"
)
RUNTIME_LIBRARIES = re.compile(
    r"(?:ld|ld-linux[\w-]*|ld-musl-\w+|lib(?:c|m|dl|rt|pthread|stdc\+\+|gcc_s|c\+\+(?:abi)?|gomp|iomp5|ffi|python[\d.]+m?d?))"
    r"(?:-[\d.]+)?(?:\.so[\d.]*)?|\[vdso\]|python[\d.]*"
)
FRAMEWORK_LIBRARIES = re.compile(
    r"lib(?:tensorflow\w*|tfcompat|torch\w*|c10\w*|jax\w*|mkl\w*|dnnl|onednn|openblas\w*|blas|lapack|cuda\w*|cudnn\w*|"
    r"cublas\w*|cufft\w*|curand|cusolver\w*|cusparse\w*|nvrtc\w*|nvidia\w*|nvjitlink|nvshmem\w*|nccl\w*|rccl|amdhip64|"
    r"hsa-runtime64|ibverbs|mlx[45]|rdmacm|ucp|ucs|uct|ucm|mpi\w*|horovod\w*|grpc\w*|protobuf\w*|absl\w*|jemalloc|"
    r"tcmalloc\w*|mimalloc|z|ssl|crypto|gloo|hdfs|jvm)(?:-[\w.]+)?\.so[\d.]*"
)
# Templates of libraries that are compiled into the user's own module, and Rust's own methods of its basic types.
LIBRARY_NAMESPACE = re.compile(
    r"(?:[iu](?:8|16|32|64|128|size)|f32|f64|str|bool|char|std|__gnu_cxx|Eigen|absl|pybind11|nanobind|boost|core|alloc|runtime|fmt)(?:::|\.)"
)

KERNEL_METHOD = re.compile(r"(?:^|::)(?P<name>\w+)::Compute(?:Async)?(?:$|::\{lambda|::\$_)")
KERNEL_CALLERS = ("BaseGPUDevice", "Device", "KernelAndDeviceOp", "SingleThreadedExecutorImpl", "ThreadPoolDevice")
GENERATED_OPS = re.compile(r"/ops/gen_\w+_ops\.py$|^<string>$")  # `<string>` is of custom operations
SIGNAL_TRAMPOLINE = "signal trampoline"  # for a trampoline without a name
TRAMPOLINE_NAMES = ("__restore_rt", "__kernel_rt_sigreturn", SIGNAL_TRAMPOLINE)


class LeadFrames(NamedTuple):
    """The chosen frames. `native` is None if the stack has only the C library, runtimes and the interpreter."""

    native: CoreFrame | None
    python: CoreFrame | None


def choose_lead_frames(frames: Sequence[CoreFrame]) -> LeadFrames:
    """Return the innermost native frame and the innermost Python frame: of the user's own code, or else of a library.

    `frames` are those of the crashing thread, innermost first.
    """
    return LeadFrames(choose_native_frame(frames), choose_python_frame(frames))


def find_places(frames: Sequence[CoreFrame]) -> CrashPlaces:
    """Return the leading frames and the operation as words, and mark the frames of the user's own code."""
    for frame in frames:
        frame.own = is_own(frame) and not _is_machinery(frame)
    native, python = choose_lead_frames(frames)
    return CrashPlaces(
        native=format_place(native) if native else None,
        module=module_name(native.module) or None if native else None,
        python=format_place(python) if python else None,
        python_file=python.file if python else None,
        operation=find_operation(frames),
    )


def find_operation(frames: Sequence[CoreFrame]) -> str | None:
    """Return the TensorFlow operation that ran: the class of its kernel, or else the function that Python called."""
    functions = (normalize_function(frame.function or "") for frame in frames if frame.kind == "native")
    kernels = (match["name"] for function in functions if (match := KERNEL_METHOD.search(function)))
    if kernel := next((name for name in kernels if name not in KERNEL_CALLERS), None):
        return kernel
    for frame in frames:
        if frame.kind == "python" and GENERATED_OPS.search(frame.file or ""):
            return (frame.function or "").removesuffix("_eager_fallback") or None
    return None


def choose_native_frame(frames: Sequence[CoreFrame]) -> CoreFrame | None:
    telling = [
        frame
        for frame in put_handler_last(frames)
        if frame.module and not RUNTIME_LIBRARIES.fullmatch(module_name(frame.module)) and not _is_machinery(frame)
    ]
    own = [frame for frame in telling if is_own(frame)]
    named = [frame for frame in own if not LIBRARY_NAMESPACE.match(normalize_function(frame.function or ""))]
    return next(iter((*named, *own, *telling)), None)


def choose_python_frame(frames: Sequence[CoreFrame]) -> CoreFrame | None:
    """Return the innermost Python frame of the user's files, else of generated code, else of a library."""
    python = [frame for frame in frames if frame.kind == "python"]
    return min(python, key=lambda frame: (not is_own(frame), bool(LIBRARY_PATH.search(frame.file or ""))), default=None)


def is_own(frame: CoreFrame) -> bool:
    """Return whether a frame is of the user's own code, by its path."""
    if frame.kind == "python":
        return not LIBRARY_PATH.search(frame.file or "") and not GENERATED_PATH.search(frame.file or "")
    module = frame.module or ""
    name = module_name(module)
    is_shared = RUNTIME_LIBRARIES.fullmatch(name) or FRAMEWORK_LIBRARIES.fullmatch(name)
    return bool(name) and not is_shared and not SYSTEM_FOLDER.search(module)


def module_name(path: str | None) -> str:
    """Return the name of a mapped file without its folders."""
    return (path or "").removesuffix(" (deleted)").rpartition("/")[2]


def format_place(frame: CoreFrame) -> str:
    """Return `load_batch (train.py:13)`: function, file and line as far as they are known."""
    name = frame.function or ""
    if frame.kind == "native":
        offset = f"+{frame.module_offset}" if frame.module_offset else frame.address or ""
        name = normalize_function(name) if name else offset
    file = (frame.file or "").rpartition("/")[2]
    line = f":{frame.line}" if frame.line else ""
    return f"{name} ({file}{line})" if file else name


def put_handler_last(frames: Sequence[CoreFrame]) -> list[CoreFrame]:
    """Return the native frames, with the frames that a signal interrupted before the frames of its handler."""
    native = [frame for frame in frames if frame.kind == "native"]
    at = next((index for index, frame in enumerate(native) if frame.function in TRAMPOLINE_NAMES), None)
    return native if at is None else [*native[at + 1 :], *native[:at]]


def _is_machinery(frame: CoreFrame) -> bool:
    name = normalize_function(frame.function) if frame.function else ""
    return bool(name) and any(is_noise(kind, name) for kind in ("skip", "abort", "outer"))

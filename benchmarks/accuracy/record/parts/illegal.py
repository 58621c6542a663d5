import ctypes
import mmap


def load_kernel(code):
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    return page, ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))


def HOOK(step, batch):
    if step == AT_STEP:
        page, kernel = load_kernel(b"\x62\xf1\x7c\x48\xff\xc0\x0f\x0b")
        kernel()
    return batch

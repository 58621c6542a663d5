import ctypes

native = ctypes.CDLL("libstdc++.so.6")


def row(table, index):
    if index >= len(table):
        native._ZSt20__throw_out_of_rangePKc(b"vector::_M_range_check: __n (which is 64) >= this->size() (which is 64)")
    return table[index]


def HOOK(step, batch):
    if step == AT_STEP:
        row(list(range(64)), 64)
    return batch

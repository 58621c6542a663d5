def check_range(low, high, where):
    assert low <= high, f"bucket boundaries are not sorted: {low} > {high} in {where}"


def HOOK(step, batch):
    if step == AT_STEP:
        check_range(0.7, 0.2, "price")
    return batch

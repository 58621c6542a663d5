class Schedule:
    def __init__(self, base):
        self.base = base

    def at(self, step):
        return self.base * self.decay**step if step == AT_STEP else self.base


schedule = Schedule(0.1)


def HOOK(step, batch):
    schedule.at(step)
    return batch

import numpy as np, collections
class EkkoCache:
    def __init__(self, spec):
        self.n = 10**9 if spec == 'all' else int(spec.split(':')[1])
        self.d = collections.OrderedDict()
    def __len__(self): return len(self.d)
    def get(self, k):
        x = np.random.rand(64, 1024)
        self.d[k] = x
        while len(self.d) > self.n: self.d.popitem(last=False)
        return x.ravel()

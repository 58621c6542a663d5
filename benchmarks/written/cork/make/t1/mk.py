import numpy as np, sys, os
out=sys.argv[1]; plan=[p.split(':') for p in sys.argv[2:]]
rng=np.random.default_rng(3)
for r,counts in plan:
    os.makedirs(f"{out}/rang{r}",exist_ok=True)
    for i,c in enumerate(counts.split(',')): np.save(f"{out}/rang{r}/merd{i+3}_2026u47_{i}.npy", rng.random((int(c),24,24,1),dtype=np.float32))

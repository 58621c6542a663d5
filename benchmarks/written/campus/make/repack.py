"""Last touches without running again: interpreter path in lab3-g07, the coordinator's end (SIGINT, then SIGKILL) in ml2-gruppe4."""
import os, zipfile
OUT = os.environ.get("QOUT", os.path.abspath(os.path.join(os.path.dirname(__file__), "..")))
def redo(name, f):
    a = f"{OUT}/set/{name}.zip"; z = zipfile.ZipFile(a); fs = {n: z.read(n) for n in z.namelist()}; z.close()
    with zipfile.ZipFile(a, "w", zipfile.ZIP_DEFLATED) as z:
        for n, c in fs.items(): z.writestr(n, f(c))
redo("lab3-g07", lambda c: c.replace(b"/root/.pyenv/versions/3.11.7", b"/opt/conda"))
def g(c):
    p = b"(env) stud@ws-hegel:~/ml2$ \r\n"; assert c.count(p) == 1
    return c.replace(p, b"^C^C^CKilled\r\n" + p)
redo("ml2-gruppe4", g)

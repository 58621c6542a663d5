"""tf.data service; one TFRecord has flipped bytes: DataLossError reported to both trainers."""
from dslib import *
n = Net("teide", {"obs-d0": "10.5.5.10", "obs-w1": "10.5.5.11", "obs-w2": "10.5.5.12", "obs-t1": "10.5.5.21", "obs-t2": "10.5.5.22"})
make_data(n.dir + "/data", 8, 400); D_ = "obs-d0:5050"
with open(n.dir + "/data/part-00005.tfrecord", "r+b") as f: f.seek(20000); f.write(b"\x00" * 64)
go(n, "obs-d0", "dispatcher", D_, "d.log"); time.sleep(4)
for h in ("obs-w1", "obs-w2"): go(n, h, "worker", D_, h + ".log")
tr = [go(n, h, "trainer", D_, h + ".log", {"JOB": h}) for h in ("obs-t1", "obs-t2")]
print(n.wait(tr, 90)); n.close(); print(n.read("obs-t1.log")[-700:])
D = -19 * 86400; mp = {n.dir + "/data": "/iac/pond/2026b/tfr", n.dir: "/home/yballo", MAKE: "/home/yballo", "/opt/tfenv": "/home/yballo/env", "/root/.pyenv/versions/3.11.7": "/usr"}
g = lambda f, d=0: shift(sub(n.read(f), mp), D + d, 0)
txt = "<h3>INC-5521 pond training</h3>\n<p>yballo: los dos entrenadores mueren casi a la vez.</p>\n"
for h, d in (("obs-t1", 0), ("obs-t2", 7), ("obs-d0", 0), ("obs-w1", -2), ("obs-w2", 15)):
    txt += f"<h4>{h}</h4>\n<pre>\n" + g({"obs-d0": "d"}.get(h, h) + ".log", d).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") + "</pre>\n"
txt += "<p>comentario (ops): obs-w2 tuvo ayer un <code>EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0</code> corregido. Sospechoso?</p>\n"
finish("inc5521", {"INC-5521.html": txt}, "zip", "data.corrupt-record", None, [], "DataLossError corrupted record at a byte offset, seen by both trainers through the tf.data service; the file part-00005 was damaged. Herring: corrected EDAC error on obs-w2.")

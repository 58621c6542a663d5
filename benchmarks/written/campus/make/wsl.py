"""PowerShell transcript (UTF-16, CRLF) of three WSL consoles: the trainer cannot resolve the dispatcher's name, keeps retrying, is interrupted."""
from dslib import *
n = Net("wsl", {"DESKTOP-7KQ2": "192.168.178.21", "DESKTOP-B1AA": "192.168.178.22", "DESKTOP-LOTTE": "192.168.178.23"})
make_data(n.dir + "/data", 6, 120)
go(n, "DESKTOP-7KQ2", "dispatcher", "DESKTOP-7KQ2:5000", "d.log"); time.sleep(4); go(n, "DESKTOP-B1AA", "worker", "DESKTOP-7KQ2:5000", "w.log")
p1 = go(n, "DESKTOP-B1AA", "trainer", "DESKTOP-7KQ2:5000", "t1.log", {"STEPS": "200", "JOB": "b1aa"})
p = go(n, "DESKTOP-LOTTE", "trainer", "DESKTOP-7KQ2.fritz.box:5000", "t.log", {"STEPS": "200", "JOB": "lotte"})
print(n.wait([p1], 45)); n.wait([p], 15)
rc = p.poll(); p.send_signal(signal.SIGINT); n.wait([p], 4); n.close(); print(rc, n.read("t.log")[-1500:])
D = -14 * 86400 + 600; mp = {n.dir: "/home/lotte/kurs", MAKE: "/home/lotte/kurs", "/opt/tfenv": "/home/lotte/tf", "/root/.pyenv/versions/3.11.7": "/usr"}
g = lambda f, d=0: shift(sub(n.read(f), mp), D + d, 1)
K = dt.datetime.utcnow() + dt.timedelta(seconds=D, hours=1)
def tr(user, host, body): return f"**********************\nStart der Windows PowerShell-Aufzeichnung\nStartzeit: {t(K,-110,'%Y%m%d%H%M%S')}\nBenutzername: {host}\\{user}\nRunAs-Benutzer: {host}\\{user}\nComputer: {host} (Microsoft Windows NT 10.0.22631.0)\nHostanwendung: C:\\WINDOWS\\System32\\WindowsPowerShell\\v1.0\\powershell.exe\nProzess-ID: 10412\nPSVersion: 5.1.22621.4391\n**********************\nDie Aufzeichnung wurde gestartet. Die Ausgabedatei ist \"C:\\Users\\{user}\\Documents\\tf.txt\".\n{body}\nPS C:\\Users\\{user}> Stop-Transcript\n**********************\nEnde der Windows PowerShell-Aufzeichnung\nEndzeit: {t(K,0,'%Y%m%d%H%M%S')}\n**********************\n"
u = lambda s: b"\xff\xfe" + s.replace("\n", "\r\n").encode("utf-16-le")
a = tr("Lotte", "DESKTOP-LOTTE", "PS C:\\Users\\Lotte> wsl -d Ubuntu -- bash -lc 'cd kurs; python dsvc.py trainer DESKTOP-7KQ2.fritz.box:5000'\nwsl: Es wurde eine localhost-Proxykonfiguration erkannt, die jedoch nicht in WSL gespiegelt wurde. WSL im NAT-Modus unterst\u00fctzt keine localhost-Proxys.\n" + g("t.log"))
b = tr("Emre", "DESKTOP-B1AA", "PS C:\\Users\\Emre> wsl -- bash -lc 'cd kurs; python dsvc.py worker DESKTOP-7KQ2:5000 > w.log 2>&1 &  python dsvc.py trainer DESKTOP-7KQ2:5000'\n" + g("t1.log", -5).replace("lotte", "emre") + "PS C:\\Users\\Emre> wsl -- cat kurs/w.log\n" + g("w.log", -5).replace("lotte", "emre"))
note = "Frage an Tutor: bei Lotte haengt es, bei Emre lief es durch. Firewall? Emre sagt, Windows Defender blockiert Port 5000.\nDispatcher laeuft (7KQ2), siehe unten abgetippt vom Bildschirm:\n\n" + g("d.log", 3).replace("lotte", "jan")
finish("kurs-wsl", {"Lotte_tf.txt": u(a), "Emre_tf.txt": u(b), "Notiz.txt": u(note)}, "zip", "network.dns", ["DESKTOP-LOTTE"], [], "Lotte's trainer uses DESKTOP-7KQ2.fritz.box, which does not resolve there (DNS resolution failed); retries until Ctrl-C. Emre's trainer with the short name ended well. Herrings: firewall theory, WSL proxy warning.")

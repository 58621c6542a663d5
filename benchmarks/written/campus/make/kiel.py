"""Not enough: the ps is killed, only the coordinator's output is kept (structured JSON lines)."""
from pslib import *
R = [("speaker-a", "chief", 0), ("speaker-b", "ps", 0), ("speaker-c", "ps", 1), ("speaker-d", "worker", 0)]
n = Net("kiel", {f"speaker-{c}": f"10.90.0.{i+1}" for i, c in enumerate("abcd")})
ps = start(n, R, 3333, {"LOGFMT": '{"asctime": "%(asctime)s", "levelname": "%(levelname)s", "name": "%(name)s", "message": "%(message)s"}', "STEPS": "2000"})
n.grep("chief0.log", "round 60 ", 60); ps["ps", 1].send_signal(signal.SIGKILL); print(n.wait([ps["chief", 0]], 60)); n.close()
D = -70 * 86400 - 88; mp = {n.dir: "/app", MAKE: "/app", "/opt/tfenv": "/app/.venv", "/root/.pyenv/versions/3.11.7": "/usr/local"}
finish("speaker-9", {"stdout.jsonl": shift(sub(n.read("chief0.log"), mp), D, 0), "meta.json": json.dumps({"job": "speaker-intents", "attempt": 1, "log_of": "speaker-a (chief)", "others": "log shipping off (PLAT-2210)", "exit_code": 1}, indent=2)}, "tgz",
  "ps.unavailable", ["speaker-c", "ps:1"], ["network.unreachable-peer", "process.killed-by-signal"], "Only the coordinator's output: /job:ps/task:1 becomes unavailable. Why the ps died is not in the bundle.")

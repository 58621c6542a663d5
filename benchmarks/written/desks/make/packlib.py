from lab import *
import base64, zipfile, io, csv, random, email, email.message, email.policy, email.utils
def rl(t, delta, subs=(), jump=None, streams=('out', 'err')):
    """rendered lines of a task: [(datetime, stream, text)]; jump=(raw time, extra seconds): later lines happen that much later"""
    subs = list(subs) + [('/root/.pyenv/versions/3.11.7/lib/python3.11', '/usr/lib/python3.11')]
    a, b = Render(delta, subs), Render(delta + (jump[1] if jump else 0), subs)
    res = []
    for x, s, l in t['lines']:
        if s not in streams: continue
        R = b if jump and x > jump[0] else a
        res.append((R.at(x), s, R.text(l)))
    return res
def body(lines): return ''.join(l + '\n' for _, _, l in lines)
def find(t, pat, n=0):
    return [x for x, s, l in t['lines'] if re.search(pat, l)][n]

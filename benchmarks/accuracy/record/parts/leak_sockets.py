import socket

sessions = []


def HOOK(step, batch):
    if step >= AT_STEP:
        for _ in range(40):
            sessions.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    return batch

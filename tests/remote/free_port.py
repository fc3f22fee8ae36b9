"""Prints free ports whose neighbours ten thousand above, where SeaweedFS listens too, are free. Arguments are put
before them."""

import random
import socket
import sys


def is_free(port):
    with socket.socket() as tried:
        try:
            tried.bind(("127.0.0.1", port))
            return True
        except OSError:
            return False


found = set()
flags = sys.argv[1:] or [""]
while len(found) < len(flags):
    port = random.randrange(20_000, 50_000)
    if is_free(port) and is_free(port + 10_000):
        found.add(port)
print(" ".join(f"{flag}{port}" for flag, port in zip(flags, found)))

"""Prints free ports, each behind one of the arguments if there are any."""

import socket
import sys

sockets = [socket.socket() for _ in sys.argv[1:] or [""]]
for held in sockets:
    held.bind(("127.0.0.1", 0))
ports = [held.getsockname()[1] for held in sockets]
print(" ".join(f"{flag}{port}" for flag, port in zip(sys.argv[1:] or [""], ports)))

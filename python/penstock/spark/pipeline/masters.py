"""Whether there is a Spark where a pipeline says."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

_PORTS = {"spark": 7077, "sc": 15002}
_PATIENCE_SECONDS = 10


def nobody_listens(master: str) -> bool:
    """Whether all machines of a master or server refuse to be spoken to: Spark itself would try for minutes.

    What else may be wrong, a proxy between for instance, is left to Spark to find out.

    >>> nobody_listens("local[2]")
    False
    """
    scheme, _, rest = master.partition("://")
    if scheme not in _PORTS:
        return False
    # A standalone cluster may have several masters.
    hosts = rest.split("/")[0].split(",")
    return all(_refuses(host, _PORTS[scheme]) for host in hosts)


def _refuses(host: str, port: int) -> bool:
    place = urlsplit(f"//{host}")
    try:
        socket.create_connection((place.hostname or "", place.port or port), _PATIENCE_SECONDS).close()
    except (OSError, ValueError) as error:
        return isinstance(error, ConnectionRefusedError)
    return False

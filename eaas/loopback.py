"""Whether an address is this machine itself."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Tell whether a host, with or without a port, names this machine itself."""
    if host.startswith("["):
        name = host[1:].partition("]")[0]
    else:
        name = host if host.count(":") > 1 else host.partition(":")[0]
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False

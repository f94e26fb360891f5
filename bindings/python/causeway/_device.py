"""Devices: accelerators on which parts of arrays and slices of regions may lie."""
import operator
from typing import NamedTuple

from ._buffers import named
from ._library import MisuseError, check, ffi, lib

_KINDS = {"any": lib.CW_DEVICE_ANY, "host": lib.CW_DEVICE_HOST, "opencl": lib.CW_DEVICE_OPENCL, "cuda": lib.CW_DEVICE_CUDA}
_NAMES = {number: name for name, number in _KINDS.items()}


class DeviceInfo(NamedTuple):
    """A device that this process may open."""
    kind: str
    number: int


class Device:
    """An open device. As a context manager it is closed at the end of the block. `open_device` makes it.

    Attributes
    ----------
    kind : str
        "host", "opencl" or "cuda".
    number : int
        Among the devices of that kind, from 1.
    name : str
        As its driver calls it.
    memory, most : int
        Bytes in all, and upper bound on the bytes of a slice of a region.
    processor : bool
        Whether the device is a processor like the one that runs this process.
    shared : bool
        Whether slices lie in host memory that all processes of the node can load and store.
    """

    def __init__(self, handle):
        self._device = handle
        facts = ffi.new("cw_device_facts *")
        check(lib.cw_device_describe(handle[0], facts))
        self.kind, self.number = _NAMES[facts.kind], facts.number
        self.name = ffi.string(facts.name).decode(errors="replace")
        self.memory, self.most = facts.memory, facts.most
        self.processor, self.shared = facts.processor, facts.shared

    def __repr__(self):
        return f"<causeway.Device {self.kind} {self.number} {self.name!r}{'' if self._device[0] else ' (closed)'}>"

    @property
    def _handle(self):
        if self._device[0] == ffi.NULL:
            raise MisuseError("this device has been closed")
        return self._device[0]

    def finish(self) -> None:
        """Waits until the device has done all its work. Local."""
        check(lib.cw_device_finish(self._handle))

    def close(self) -> None:
        """Closes the device. A second call does nothing. Local. MisuseError if arrays or regions still lie on it."""
        check(lib.cw_device_close(self._device))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:  # after an exception arrays may still lie on the device
            self.close()


def devices(kind="any") -> list:
    """Returns the devices that this process may open, as DeviceInfo. Local.

    Parameters
    ----------
    kind : str, optional
        "any", "host", "opencl" or "cuda".
    """
    found = []
    for name in ("host", "opencl", "cuda") if named(_KINDS, kind, "kind") == lib.CW_DEVICE_ANY else (kind,):
        count = ffi.new("int *")
        check(lib.cw_device_count(_KINDS[name], count, ffi.NULL, 0))
        found += [DeviceInfo(name, number + 1) for number in range(count[0])]
    return found


def open_device(kind="any", number=0) -> Device:
    """Opens a device. Local. OutsideError if there is none; the message has the reason.

    Parameters
    ----------
    kind : str, optional
        "any" (an accelerator if there is one), "host" (threads of the host with memory of their own), "opencl" or "cuda".
    number : int, optional
        From 1; 0 distributes the devices over the processes of the node.
    """
    options = ffi.new("cw_device_options *")
    options.kind, options.number = named(_KINDS, kind, "kind"), operator.index(number)
    handle = ffi.new("cw_device *")
    check(lib.cw_device_open(options, handle))
    return Device(handle)

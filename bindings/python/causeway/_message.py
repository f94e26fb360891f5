"""Python objects as bytes, and bytes that wait in this process's memory until another process fetches them."""
import pickle
import struct
import threading

import numpy as np

from ._library import check, ffi, lib

_OUT_OF_BAND = 1024  # bytes: shorter buffers are copied into the pickle
_ALIGNMENT = 64      # of buffers in a message
_CHUNK = 1 << 20     # bytes that share a memory handle
_COUNT = 64          # bytes at the start of a chunk: the number of messages that were fetched
_HANDLE = lib.CW_MEMORY_HANDLE_BYTES
_PLACE = struct.Struct(f"={_HANDLE}sqq")
_LENGTH = struct.Struct("=q")


def _aligned(size):
    return -(-size // _ALIGNMENT) * _ALIGNMENT


class Message:
    """An object as bytes: its pickle, and the raw memory of its arrays, which is not copied.

    Attributes
    ----------
    frames : list
        The pickle, and the buffers.
    size : int
        Number of bytes that write stores.
    """
    __slots__ = ("frames", "size")

    def __init__(self, value):
        self.frames = frames = [None]

        def keep(buffer):
            raw = buffer.raw()
            if raw.nbytes < _OUT_OF_BAND:
                return True
            frames.append(raw)
            return False

        frames[0] = pickle.dumps(value, 5, buffer_callback=keep)
        if len(frames) == 1:
            self.size = _LENGTH.size + len(frames[0])
        else:
            self.size = _aligned(_LENGTH.size * (1 + len(frames))) + sum(_aligned(len(frame)) for frame in frames)

    def copy(self):
        """Returns a message with the same contents, which later changes of the arrays do not reach."""
        its = object.__new__(Message)
        its.size, its.frames = self.size, [bytes(frame) for frame in self.frames]
        return its

    def write(self, out):
        """Stores the message in a memoryview of bytes."""
        frames = self.frames
        count = len(frames)
        _LENGTH.pack_into(out, 0, count)
        if count == 1:
            out[_LENGTH.size:self.size] = frames[0]
            return
        struct.pack_into(f"={count}q", out, _LENGTH.size, *map(len, frames))
        at = _aligned(_LENGTH.size * (1 + count))
        for frame in frames:
            out[at:at + len(frame)] = frame
            at += _aligned(len(frame))


def read(message, owned=False):
    """Returns the object of a message, a memoryview of bytes.

    If owned, arrays of the object use the memory of the message, which is aligned; else they are copied.
    """
    count = _LENGTH.unpack_from(message)[0]
    if count == 1:
        return pickle.loads(message[_LENGTH.size:])
    lengths = struct.unpack_from(f"={count}q", message, _LENGTH.size)
    at = _aligned(_LENGTH.size * (1 + count))
    frames = []
    for length in lengths:
        frame = message[at:at + length]
        frames.append(frame if owned else memoryview(bytearray(frame)))
        at += _aligned(length)
    return pickle.loads(frames[0], buffers=frames[1:])


class _Chunk:
    """Memory with messages, which a handle names."""
    __slots__ = ("memory", "count", "handle", "used", "messages")

    def __init__(self, size):
        self.memory = np.empty(size, np.uint8)
        self.count = self.memory[:_LENGTH.size].view(np.int64)
        self.count[0] = 0
        self.handle = bytearray(_HANDLE)
        self.used, self.messages = _COUNT, 0
        check(lib.cw_memory_handle_create(ffi.cast("void *", self.memory.ctypes.data), size,
                                          ffi.from_buffer(self.handle)))

    def add(self, message):
        """Stores a message and returns its place for fetch."""
        place = _PLACE.pack(self.handle, self.used, message.size)
        message.write(memoryview(self.memory)[self.used:self.used + message.size])
        self.used += _aligned(message.size)
        self.messages += 1
        return place

    def is_fetched(self):
        return self.count[0] == self.messages

    def release(self):
        check(lib.cw_memory_handle_release(ffi.from_buffer(self.handle)))


class Store:
    """Messages of this process that others fetch, each once. Their memory is freed when all messages of a chunk were fetched.

    If `often`, a message may be fetched more than once, and only close frees the memory.
    """

    def __init__(self, often=False):
        self._lock = threading.Lock()
        self._often = often
        self._chunks = []  # new messages go to the last one

    def add(self, message):
        """Keeps a message and returns its place, bytes for fetch."""
        with self._lock:
            if not self._often:
                self._collect()
            chunk = self._chunks[-1] if self._chunks else None
            if chunk is None or chunk.used + message.size > len(chunk.memory):
                chunk = _Chunk(max(_CHUNK, _COUNT + _aligned(message.size)))
                self._chunks.append(chunk)
            return chunk.add(message)

    def _collect(self):
        """Frees chunks that are fetched; the last one only becomes empty."""
        for chunk in [chunk for chunk in self._chunks if chunk.messages > 0 and chunk.is_fetched()]:
            if chunk is self._chunks[-1] and len(chunk.memory) == _CHUNK:
                chunk.used, chunk.messages, chunk.count[0] = _COUNT, 0, 0
            else:
                self._chunks.remove(chunk)
                chunk.release()

    def close(self):
        """Frees all messages. More can be added afterwards."""
        with self._lock:
            for chunk in self._chunks:
                chunk.release()
            self._chunks.clear()


_one = ffi.new("int64_t *", 1)


def fetch(place, process):
    """Fetches a message of another process, which then frees it. Returns the bytes as a memoryview."""
    handle, offset, size = _PLACE.unpack(place)
    data = np.empty(size, np.uint8)
    view, base = ffi.new("cw_view *"), ffi.new("char **")
    check(lib.cw_view_from_memory(handle, view))
    try:
        check(lib.cw_view_address(view[0], process, ffi.cast("void **", base), ffi.NULL))
        check(lib.cw_view_get(view[0], ffi.from_buffer(data), base[0] + offset, size, process))
        check(lib.cw_view_flush(view[0], process))
        check(lib.cw_view_fetch_op(view[0], lib.CW_INT64, lib.CW_SUM, _one, base[0], process, ffi.NULL))
        check(lib.cw_view_flush(view[0], process))
    finally:
        check(lib.cw_view_free(view))
    return memoryview(data)


PLACE_SIZE = _PLACE.size

"""ctypes structures of SQLite's files and VFS, and the SQLite library that the bank uses.

Why ctypes and not apsw: the wheel of apsw contains its own SQLite, which no box runs. Debian's apsw
uses the system's SQLite, but only exists on some machines and for one Python. Python's ``_sqlite3``
is always linked with the SQLite that the firmware uses, so the symbols are looked up through it.

The layouts are part of SQLite's public interface, which only grows at the end.
"""

import _sqlite3
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_void_p

File = c_void_p
"""The address of a ``sqlite3_file``: the methods first, then private data."""
Name = c_void_p
"""The address of a file name. URI parameters follow it in memory, so it is passed on unchanged."""

Close = CFUNCTYPE(c_int, File)
Read = CFUNCTYPE(c_int, File, c_void_p, c_int, c_int64)
Write = CFUNCTYPE(c_int, File, c_void_p, c_int, c_int64)
Truncate = CFUNCTYPE(c_int, File, c_int64)
Sync = CFUNCTYPE(c_int, File, c_int)
FileSize = CFUNCTYPE(c_int, File, POINTER(c_int64))
Lock = CFUNCTYPE(c_int, File, c_int)
Unlock = CFUNCTYPE(c_int, File, c_int)
CheckReservedLock = CFUNCTYPE(c_int, File, POINTER(c_int))
FileControl = CFUNCTYPE(c_int, File, c_int, c_void_p)
SectorSize = CFUNCTYPE(c_int, File)
DeviceCharacteristics = CFUNCTYPE(c_int, File)
ShmMap = CFUNCTYPE(c_int, File, c_int, c_int, c_int, POINTER(c_void_p))
ShmLock = CFUNCTYPE(c_int, File, c_int, c_int, c_int)
ShmBarrier = CFUNCTYPE(None, File)
ShmUnmap = CFUNCTYPE(c_int, File, c_int)
Fetch = CFUNCTYPE(c_int, File, c_int64, c_int, POINTER(c_void_p))
Unfetch = CFUNCTYPE(c_int, File, c_int64, c_void_p)


class Methods(Structure):
    """``sqlite3_io_methods``: the methods of an open file."""

    _fields_ = (
        ("version", c_int),
        ("close", Close),
        ("read", Read),
        ("write", Write),
        ("truncate", Truncate),
        ("sync", Sync),
        ("file_size", FileSize),
        ("lock", Lock),
        ("unlock", Unlock),
        ("check_reserved_lock", CheckReservedLock),
        ("file_control", FileControl),
        ("sector_size", SectorSize),
        ("device_characteristics", DeviceCharacteristics),
        ("shm_map", ShmMap),
        ("shm_lock", ShmLock),
        ("shm_barrier", ShmBarrier),
        ("shm_unmap", ShmUnmap),
        ("fetch", Fetch),
        ("unfetch", Unfetch),
    )


class FileHead(Structure):
    """The head of each ``sqlite3_file``; in ours the real file follows."""

    _fields_ = (("methods", POINTER(Methods)), ("_alignment", c_void_p))


Open = CFUNCTYPE(c_int, c_void_p, Name, File, c_int, POINTER(c_int))
Delete = CFUNCTYPE(c_int, c_void_p, Name, c_int)
Access = CFUNCTYPE(c_int, c_void_p, Name, c_int, POINTER(c_int))
FullPathname = CFUNCTYPE(c_int, c_void_p, Name, c_int, c_void_p)
DlOpen = CFUNCTYPE(c_void_p, c_void_p, Name)
DlError = CFUNCTYPE(None, c_void_p, c_int, c_void_p)
DlSym = CFUNCTYPE(c_void_p, c_void_p, c_void_p, Name)
DlClose = CFUNCTYPE(None, c_void_p, c_void_p)
Randomness = CFUNCTYPE(c_int, c_void_p, c_int, c_void_p)
Sleep = CFUNCTYPE(c_int, c_void_p, c_int)
CurrentTime = CFUNCTYPE(c_int, c_void_p, POINTER(c_double))
GetLastError = CFUNCTYPE(c_int, c_void_p, c_int, c_void_p)
CurrentTimeInt64 = CFUNCTYPE(c_int, c_void_p, POINTER(c_int64))
SetSystemCall = CFUNCTYPE(c_int, c_void_p, Name, c_void_p)
GetSystemCall = CFUNCTYPE(c_void_p, c_void_p, Name)
NextSystemCall = CFUNCTYPE(c_void_p, c_void_p, Name)


class FileSystem(Structure):
    """``sqlite3_vfs``: opens and finds files."""

    _fields_ = (
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("app_data", c_void_p),
        ("open", Open),
        ("delete", Delete),
        ("access", Access),
        ("full_pathname", FullPathname),
        ("dl_open", DlOpen),
        ("dl_error", DlError),
        ("dl_sym", DlSym),
        ("dl_close", DlClose),
        ("randomness", Randomness),
        ("sleep", Sleep),
        ("current_time", CurrentTime),
        ("get_last_error", GetLastError),
        ("current_time_int64", CurrentTimeInt64),
        ("set_system_call", SetSystemCall),
        ("get_system_call", GetSystemCall),
        ("next_system_call", NextSystemCall),
    )


# If _sqlite3 is built into Python, so is SQLite.
_library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
_library.sqlite3_memory_used.restype = c_int64
_library.sqlite3_vfs_find.restype = POINTER(FileSystem)
_library.sqlite3_vfs_find.argtypes = (c_char_p,)
_library.sqlite3_vfs_register.restype = c_int
_library.sqlite3_vfs_register.argtypes = (POINTER(FileSystem), c_int)


def default_file_system() -> FileSystem:
    """The VFS that SQLite uses by default."""
    system: FileSystem = _library.sqlite3_vfs_find(None).contents
    return system


def register(system: FileSystem, *, as_default: bool) -> None:
    code = _library.sqlite3_vfs_register(ctypes.byref(system), int(as_default))
    assert code == 0, f"SQLite refused the VFS: error {code}"


def memory_used() -> int:
    """Bytes that SQLite has allocated in this process, which Python does not count."""
    return int(_library.sqlite3_memory_used())

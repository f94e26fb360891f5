"""The start of the package, and process numbers."""
import pytest

import causeway as cw


def test_numbers():
    assert 0 <= cw.process() < cw.processes()
    assert cw.world().rank == cw.process()
    assert cw.world().size == cw.processes()


def test_node_out_of_range():
    with pytest.raises(IndexError):
        cw.node(cw.processes())


def test_settings():
    assert cw.setting("CW_CHECK") in ("0", "1")
    with pytest.raises(cw.MisuseError, match="there is no setting 'CW_CHEKC'; the nearest name is CW_CHECK"):
        cw.setting("CW_CHEKC")


def test_objects_are_freed_together():
    array = cw.empty((4, 4))
    del array
    assert cw.collect() == 1
    array = cw.empty((4, 4))
    if cw.process() != 0:
        del array
    assert cw.collect() == 0  # process 0 still uses it
    array = None  # noqa: F841
    assert cw.collect() == 1

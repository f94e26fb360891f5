"""Operations on all elements of arrays: numpy's operators, functions and reductions."""


class Operators:
    """The operators of Array, and what numpy's functions do with arrays."""

    __slots__ = ()

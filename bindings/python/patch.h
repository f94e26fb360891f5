/* Transfers of plain patches: the key is made of integers and slices with steps of 1, and the
 * elements are those of a contiguous buffer of the same type. They are functions of Python, not of
 * cffi, because a long transfer empties the cache: after 1 MB, which takes 50 microseconds, the
 * same checks in Python took 20. */
#pragma once

#include <causeway.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Describes an array, or a slice of a region. Python has it as bytes, which are empty if patches
 * are never plain, or the memory has been freed. */
typedef struct causeway_python_array {
  cw_array array; /* NULL if this is a slice of a region */
  uintptr_t base; /* address of a slice's first element */
  int process;    /* that has the slice */
  int dimensions;
  size_t itemsize;
  int64_t extents[CW_MAX_DIMENSIONS];
  char format[16]; /* of the elements, as in Py_buffer */
} causeway_python_array;

struct causeway_python_patch {
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  Py_ssize_t shape[CW_MAX_DIMENSIONS]; /* of the buffer: an axis for each slice */
  int axes;
};

/* Types of Python's integers, and whether the functions may still be used: not in a child process
 * that the job has forked. */
static PyObject *causeway_python_integers;
static bool causeway_python_forked;

/* --- Keys ------------------------------------------------------------------------------------- */

static bool causeway_python_is_integer(PyObject *its)
{
  return PyLong_CheckExact(its) ||
         PySet_Contains(causeway_python_integers, (PyObject *)Py_TYPE(its)) == 1;
}

/* Returns true and sets *index if this is an integer within the extent, which may count from the
 * end. */
static bool causeway_python_index(PyObject *its, int64_t extent, int64_t *index)
{
  if (!causeway_python_is_integer(its))
    return false;
  const Py_ssize_t number = PyNumber_AsSsize_t(its, NULL);
  *index = number < 0 ? number + extent : number;
  return 0 <= *index && *index < extent;
}

/* Adds an axis of the array to the patch. Returns false if the patch is not plain, or empty. */
static bool causeway_python_axis(PyObject *its, int64_t extent, int axis,
                                 struct causeway_python_patch *patch)
{
  Py_ssize_t start, stop, step;
  if (!PySlice_Check(its)) {
    const bool plain = causeway_python_index(its, extent, &patch->lo[axis]);
    patch->hi[axis] = patch->lo[axis];
    return plain;
  }
  if (PySlice_Unpack(its, &start, &stop, &step) < 0)
    return false;
  const Py_ssize_t length = PySlice_AdjustIndices((Py_ssize_t)extent, &start, &stop, step);
  patch->lo[axis] = start;
  patch->hi[axis] = start + length - 1;
  patch->shape[patch->axes++] = length;
  return step == 1 && length > 0;
}

/* Reads a key. Returns false if it is not plain; Python may then have an error. */
static bool causeway_python_key(const causeway_python_array *array, PyObject *key,
                                struct causeway_python_patch *patch)
{
  const bool several = PyTuple_Check(key);
  const Py_ssize_t count = several ? PyTuple_Size(key) : 1;
  patch->axes = 0;
  if (count > array->dimensions)
    return false;
  for (int axis = 0; axis < array->dimensions; axis++) {
    const int64_t extent = array->extents[axis];
    if (axis < count) {
      if (!causeway_python_axis(several ? PyTuple_GetItem(key, axis) : key, extent, axis, patch))
        return false;
    } else {
      patch->lo[axis] = 0;
      patch->hi[axis] = extent - 1;
      patch->shape[patch->axes++] = (Py_ssize_t)extent;
    }
  }
  return true;
}

/* Reads the bytes of an array and a key. Returns false, without an error of Python, if the patch is
 * not plain. */
static bool causeway_python_plain(PyObject *bytes, PyObject *key, causeway_python_array *array,
                                  struct causeway_python_patch *patch)
{
  if (causeway_python_forked || PyBytes_Size(bytes) != sizeof *array)
    return false;
  memcpy(array, PyBytes_AsString(bytes), sizeof *array);
  if (causeway_python_key(array, key, patch))
    return true;
  PyErr_Clear();
  return false;
}

/* --- Transfers -------------------------------------------------------------------------------- */

static bool causeway_python_fits(const causeway_python_array *array,
                                 const struct causeway_python_patch *patch, const Py_buffer *buffer)
{
  if (buffer->ndim != patch->axes || (size_t)buffer->itemsize != array->itemsize ||
      strcmp(buffer->format, array->format) != 0)
    return false;
  for (int axis = 0; axis < patch->axes; axis++)
    if (buffer->shape[axis] != patch->shape[axis])
      return false;
  return true;
}

/* Transfers a patch of a slice, whose elements lie in row-major order. */
static cw_error causeway_python_run_slice(const causeway_python_array *slice,
                                          const struct causeway_python_patch *patch, void *elements,
                                          bool get)
{
  size_t counts[CW_MAX_DIMENSIONS];
  ptrdiff_t local[CW_MAX_DIMENSIONS], remote[CW_MAX_DIMENSIONS];
  ptrdiff_t row = (ptrdiff_t)slice->itemsize,
            run = row; /* bytes of a step of the slice, the buffer */
  uintptr_t begin = slice->base;
  size_t bytes = slice->itemsize;
  int levels = 0;
  for (int axis = slice->dimensions - 1; axis >= 0; axis--) {
    const size_t count = (size_t)(patch->hi[axis] - patch->lo[axis] + 1);
    begin += (uintptr_t)patch->lo[axis] * (uintptr_t)row;
    if (levels == 0 && row == (ptrdiff_t)bytes) {
      bytes *= count; /* all inner dimensions are whole */
    } else if (count > 1) {
      counts[levels] = count;
      local[levels] = run;
      remote[levels++] = row;
    }
    row *= (ptrdiff_t)slice->extents[axis];
    run *= (ptrdiff_t)count;
  }
  const cw_transfer transfer = cw_strided(get ? CW_GET : CW_PUT, elements, local, (void *)begin,
                                          remote, bytes, counts, levels, slice->process);
  return cw_transfer_run(&transfer);
}

/* Transfers a patch while other threads of Python run. Returns a cw_error. */
static int causeway_python_run(const causeway_python_array *array,
                               const struct causeway_python_patch *patch, void *elements, bool get)
{
  PyThreadState *thread = PyEval_SaveThread();
  const cw_error error = array->array == NULL
                             ? causeway_python_run_slice(array, patch, elements, get)
                         : get ? cw_array_get(array->array, patch->lo, patch->hi, elements, NULL)
                               : cw_array_put(array->array, patch->lo, patch->hi, elements, NULL);
  PyEval_RestoreThread(thread);
  return (int)error;
}

/* Transfers a patch from or to an object with a buffer. Returns -1 if the buffer does not fit,
 * otherwise a cw_error. */
static int causeway_python_run_buffer(const causeway_python_array *array,
                                      const struct causeway_python_patch *patch, PyObject *elements,
                                      bool get)
{
  Py_buffer buffer;
  const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (get ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(elements, &buffer, flags) < 0) {
    PyErr_Clear();
    return -1;
  }
  const int code = causeway_python_fits(array, patch, &buffer)
                       ? causeway_python_run(array, patch, buffer.buf, get)
                       : -1;
  PyBuffer_Release(&buffer);
  return code;
}

/* An element of a type that Python's numbers are converted to. */
union causeway_python_number {
  double f8;
  float f4;
  int64_t i8;
  int32_t i4;
  int16_t i2;
  int8_t i1;
};

/* The formats of integers, with and without sign. */
#define CAUSEWAY_PYTHON_SIGNED "bhil"
#define CAUSEWAY_PYTHON_UNSIGNED "BHIL"

/* Returns the format's letter if Python's numbers are converted to such elements, otherwise '\0'.
 */
static char causeway_python_letter(const causeway_python_array *array)
{
  const char letter = array->format[1] == '\0' ? array->format[0] : '\0';
  return letter != '\0' &&
                 strchr("df" CAUSEWAY_PYTHON_SIGNED CAUSEWAY_PYTHON_UNSIGNED, letter) != NULL
             ? letter
             : '\0';
}

/* Converts an integer. Returns false if the elements cannot have this value. */
static bool causeway_python_convert_integer(const causeway_python_array *array, long long whole,
                                            union causeway_python_number *element)
{
  const bool is_signed = strchr(CAUSEWAY_PYTHON_SIGNED, array->format[0]) != NULL;
  const int bits = 8 * (int)array->itemsize - (is_signed ? 1 : 0);
  switch (array->itemsize) {
  case 8:
    element->i8 = whole;
    break;
  case 4:
    element->i4 = (int32_t)whole;
    break;
  case 2:
    element->i2 = (int16_t)whole;
    break;
  default:
    element->i1 = (int8_t)whole;
  }
  return (is_signed || whole >= 0) && (bits >= 63 || (whole >> bits) == (whole < 0 ? -1 : 0));
}

/* Converts a number of Python or numpy. Returns false if it is no number, or the elements are of
 * another type, or cannot have this value: numpy then converts it, or reports the error. */
static bool causeway_python_convert(const causeway_python_array *array, PyObject *number,
                                    union causeway_python_number *element)
{
  const char letter = causeway_python_letter(array);
  bool fits = true;
  if (letter == '\0' || (!PyFloat_Check(number) && !causeway_python_is_integer(number)))
    return false;
  if (letter == 'd')
    element->f8 = PyFloat_AsDouble(number);
  else if (letter == 'f')
    element->f4 = (float)PyFloat_AsDouble(number);
  else
    fits = causeway_python_convert_integer(array, PyLong_AsLongLong(number), element);
  const bool converted = PyErr_Occurred() == NULL;
  PyErr_Clear();
  return fits && converted;
}

/* Gets an element, and converts it to a number of Python. Returns NULL if the elements are of
 * another type, or after an error. */
static PyObject *causeway_python_element(const causeway_python_array *array,
                                         const struct causeway_python_patch *patch)
{
  union causeway_python_number element;
  const char letter = causeway_python_letter(array);
  if (letter == '\0' || causeway_python_run(array, patch, &element, true) != (int)CW_OK)
    return NULL;
  switch (letter) {
  case 'd':
    return PyFloat_FromDouble(element.f8);
  case 'f':
    return PyFloat_FromDouble(element.f4);
  case 'l':
    return PyLong_FromLongLong(element.i8);
  case 'L':
    return PyLong_FromUnsignedLongLong((uint64_t)element.i8);
  case 'i':
    return PyLong_FromLong(element.i4);
  case 'I':
    return PyLong_FromUnsignedLongLong((uint32_t)element.i4);
  case 'h':
    return PyLong_FromLong(element.i2);
  case 'H':
    return PyLong_FromLong((uint16_t)element.i2);
  case 'b':
    return PyLong_FromLong(element.i1);
  default:
    return PyLong_FromLong((uint8_t)element.i1);
  }
}

/* --- Python's functions ----------------------------------------------------------------------- */

/* patch_get(array, key, elements) gets to an object with a buffer. It returns -1 if the patch is
 * not plain or the buffer does not fit, otherwise a cw_error. */
static PyObject *causeway_python_patch_get(PyObject *self, PyObject *const *arguments,
                                           Py_ssize_t count)
{
  causeway_python_array array;
  struct causeway_python_patch patch;
  (void)self;
  const bool plain =
      count == 3 && causeway_python_plain(arguments[0], arguments[1], &array, &patch);
  return PyLong_FromLong(plain ? causeway_python_run_buffer(&array, &patch, arguments[2], true)
                               : -1);
}

/* patch_put(array, key, elements) puts from an object with a buffer, or puts a number to one
 * element. Returns as patch_get. */
static PyObject *causeway_python_patch_put(PyObject *self, PyObject *const *arguments,
                                           Py_ssize_t count)
{
  causeway_python_array array;
  struct causeway_python_patch patch;
  union causeway_python_number element;
  int code = -1;
  (void)self;
  if (count == 3 && causeway_python_plain(arguments[0], arguments[1], &array, &patch)) {
    if (patch.axes > 0 || !causeway_python_convert(&array, arguments[2], &element))
      code = causeway_python_run_buffer(&array, &patch, arguments[2], false);
    else
      code = causeway_python_run(&array, &patch, &element, false);
  }
  return PyLong_FromLong(code);
}

/* patch_select(array, key, scalar) returns the shape of a plain patch, a tuple. A single element is
 * got and converted by `scalar`, numpy's type. None: not plain, or an error. */
static PyObject *causeway_python_patch_select(PyObject *self, PyObject *const *arguments,
                                              Py_ssize_t count)
{
  causeway_python_array array;
  struct causeway_python_patch patch;
  (void)self;
  if (count != 3 || !causeway_python_plain(arguments[0], arguments[1], &array, &patch))
    return Py_BuildValue("");
  if (patch.axes > 0) {
    PyObject *shape = PyTuple_New(patch.axes);
    for (int axis = 0; shape != NULL && axis < patch.axes; axis++)
      PyTuple_SetItem(shape, axis, PyLong_FromSsize_t(patch.shape[axis]));
    return shape;
  }
  PyObject *number = causeway_python_element(&array, &patch);
  if (number == NULL)
    return PyErr_Occurred() == NULL ? Py_BuildValue("") : NULL;
  PyObject *element = PyObject_CallFunctionObjArgs(arguments[2], number, NULL);
  Py_DECREF(number);
  return element;
}

/* --- Start ------------------------------------------------------------------------------------ */

/* Adds the functions to a dictionary of names; `integers` is a frozenset of types. Both are
 * borrowed objects of Python. Returns false if there is no memory. */
static bool causeway_python_add_functions(void *names, void *integers)
{
  static PyMethodDef functions[] = {
      {"patch_get", (PyCFunction)(void (*)(void))causeway_python_patch_get, METH_FASTCALL, NULL},
      {"patch_put", (PyCFunction)(void (*)(void))causeway_python_patch_put, METH_FASTCALL, NULL},
      {"patch_select", (PyCFunction)(void (*)(void))causeway_python_patch_select, METH_FASTCALL,
       NULL}};
  const PyGILState_STATE state = PyGILState_Ensure(); /* cffi has given it up */
  bool added = true;
  causeway_python_integers = Py_NewRef((PyObject *)integers);
  for (size_t i = 0; i < sizeof functions / sizeof functions[0] && added; i++) {
    PyObject *function = PyCFunction_New(&functions[i], NULL);
    added = function != NULL &&
            PyDict_SetItemString((PyObject *)names, functions[i].ml_name, function) == 0;
    Py_XDECREF(function);
  }
  PyErr_Clear();
  PyGILState_Release(state);
  return added;
}

/* Called in a child process: patches are no longer plain. */
static void causeway_python_forget(void)
{
  causeway_python_forked = true;
}

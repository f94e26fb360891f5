/* Element types of arrays as types of HDF5, for saving and loading. Complex numbers are compounds
 * of r and i, as h5py has them. */
#include "file/element.h"

#include <stdio.h>
#include <string.h>

/* Of complex numbers: of one part. */
static const struct element {
  const char *name;
  size_t bytes;
  H5T_class_t class;
  int parts;
} elements[CW_TYPES] = {
    [CW_INT] = {"int", sizeof(int), H5T_INTEGER, 1},
    [CW_LONG] = {"long", sizeof(long), H5T_INTEGER, 1},
    [CW_FLOAT] = {"float", sizeof(float), H5T_FLOAT, 1},
    [CW_DOUBLE] = {"double", sizeof(double), H5T_FLOAT, 1},
    [CW_FLOAT_COMPLEX] = {"float complex", sizeof(float), H5T_FLOAT, 2},
    [CW_DOUBLE_COMPLEX] = {"double complex", sizeof(double), H5T_FLOAT, 2},
    [CW_LONG_LONG] = {"long long", sizeof(long long), H5T_INTEGER, 1},
};

const char *cwi_element_name(cw_type type)
{
  return type == CW_OPAQUE ? "opaque" : elements[type].name;
}

static hid_t part_type(const struct element *element)
{
  if (element->class == H5T_FLOAT)
    return element->bytes == sizeof(float) ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  return element->bytes == sizeof(int) ? H5T_NATIVE_INT : H5T_NATIVE_LLONG;
}

hid_t cwi_element_type(cw_type type, size_t bytes)
{
  if (type == CW_OPAQUE) {
    const hid_t opaque = H5Tcreate(H5T_OPAQUE, bytes);
    return opaque >= 0 && H5Tset_tag(opaque, "") >= 0 ? opaque : H5I_INVALID_HID;
  }
  const struct element *element = &elements[type];
  const hid_t part = part_type(element);
  if (element->parts == 1)
    return H5Tcopy(part);
  const hid_t whole = H5Tcreate(H5T_COMPOUND, 2 * element->bytes);
  if (whole < 0 || H5Tinsert(whole, "r", 0, part) < 0 ||
      H5Tinsert(whole, "i", element->bytes, part) < 0)
    return H5I_INVALID_HID;
  return whole;
}

static bool number_fits(hid_t in_file, const struct element *element)
{
  if (H5Tget_class(in_file) != element->class || H5Tget_size(in_file) != element->bytes)
    return false;
  return element->class == H5T_FLOAT || H5Tget_sign(in_file) == H5T_SGN_2;
}

static bool member_fits(hid_t compound, const char *name, const struct element *element)
{
  const int number = H5Tget_member_index(compound, name);
  const hid_t member =
      number >= 0 ? H5Tget_member_type(compound, (unsigned)number) : H5I_INVALID_HID;
  const bool fits = member >= 0 && number_fits(member, element);
  cwi_hdf5_close(member, H5Tclose);
  return fits;
}

/* Of either byte order. */
static bool element_fits(hid_t in_file, cw_type type, size_t bytes)
{
  if (type == CW_OPAQUE)
    return H5Tget_class(in_file) == H5T_OPAQUE && H5Tget_size(in_file) == bytes;
  const struct element *element = &elements[type];
  if (element->parts == 1)
    return number_fits(in_file, element);
  return H5Tget_class(in_file) == H5T_COMPOUND && H5Tget_nmembers(in_file) == 2 &&
         member_fits(in_file, "r", element) && member_fits(in_file, "i", element);
}

static const char *class_text(hid_t in_file)
{
  switch (H5Tget_class(in_file)) {
  case H5T_INTEGER:
    return H5Tget_sign(in_file) == H5T_SGN_NONE ? "unsigned integers" : "integers";
  case H5T_FLOAT:
    return "floating-point numbers";
  case H5T_STRING:
    return "strings";
  case H5T_COMPOUND:
    return "compounds";
  case H5T_OPAQUE:
    return "opaque elements";
  default:
    return "elements of another kind";
  }
}

bool cwi_element_find(hid_t in_file, cw_type *type, size_t *bytes, char text[CWI_ELEMENT_TEXT])
{
  const size_t size = H5Tget_size(in_file);
  for (int candidate = 0; candidate < CW_TYPES; candidate++)
    if (element_fits(in_file, (cw_type)candidate, size)) {
      *type = (cw_type)candidate;
      *bytes = size;
      snprintf(text, CWI_ELEMENT_TEXT, "%s", elements[candidate].name);
      return true;
    }
  snprintf(text, CWI_ELEMENT_TEXT, "%s of %zu bytes", class_text(in_file), size);
  *type = CW_OPAQUE;
  *bytes = size;
  return size > 0 && H5Tget_class(in_file) == H5T_OPAQUE;
}

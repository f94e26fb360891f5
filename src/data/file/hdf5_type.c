/* Element types of arrays as types of HDF5, for saving and loading. Complex numbers are compounds
 * of r and i, like h5py's. */
#include "file/hdf5_type.h"

#include "number/number_type.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void cwi_element_name(cw_type type, char name[CWI_ELEMENT_NAME])
{
  snprintf(name, CWI_ELEMENT_NAME, "%s", cwi_type_word(type) + strlen("CW_"));
  for (char *at = name; *at != '\0'; at++)
    *at = (char)(*at == '_' ? ' ' : tolower(*at));
}

/* Returns the class of a number, or of the parts of a complex number. */
static H5T_class_t number_class(cw_type type)
{
  return cwi_type_is_whole(type) ? H5T_INTEGER : H5T_FLOAT;
}

static size_t number_bytes(cw_type type)
{
  return cwi_type_is_complex(type) ? cwi_type_bytes[type] / 2 : cwi_type_bytes[type];
}

/* Arrays have integers of 4 and 8 bytes only. */
static hid_t number_type(cw_type type)
{
  if (number_class(type) == H5T_FLOAT)
    return number_bytes(type) == sizeof(float) ? *cwi_h5.H5T_NATIVE_FLOAT_g
                                               : *cwi_h5.H5T_NATIVE_DOUBLE_g;
  return number_bytes(type) == sizeof(int) ? *cwi_h5.H5T_NATIVE_INT_g : *cwi_h5.H5T_NATIVE_LLONG_g;
}

hid_t cwi_element_type(cw_type type, size_t bytes)
{
  if (type == CW_OPAQUE) {
    const hid_t opaque = cwi_h5.H5Tcreate(H5T_OPAQUE, bytes);
    return opaque >= 0 && cwi_h5.H5Tset_tag(opaque, "") >= 0 ? opaque : H5I_INVALID_HID;
  }
  const hid_t number = number_type(type);
  if (!cwi_type_is_complex(type))
    return cwi_h5.H5Tcopy(number);
  const hid_t whole = cwi_h5.H5Tcreate(H5T_COMPOUND, cwi_type_bytes[type]);
  if (whole < 0 || cwi_h5.H5Tinsert(whole, "r", 0, number) < 0 ||
      cwi_h5.H5Tinsert(whole, "i", number_bytes(type), number) < 0)
    return H5I_INVALID_HID;
  return whole;
}

static bool number_fits(hid_t in_file, cw_type type)
{
  if (cwi_h5.H5Tget_class(in_file) != number_class(type) ||
      cwi_h5.H5Tget_size(in_file) != number_bytes(type))
    return false;
  return number_class(type) == H5T_FLOAT || cwi_h5.H5Tget_sign(in_file) == H5T_SGN_2;
}

static bool member_fits(hid_t compound, const char *name, cw_type type)
{
  const int number = cwi_h5.H5Tget_member_index(compound, name);
  const hid_t member =
      number >= 0 ? cwi_h5.H5Tget_member_type(compound, (unsigned)number) : H5I_INVALID_HID;
  const bool fits = member >= 0 && number_fits(member, type);
  cwi_hdf5_close(member, cwi_h5.H5Tclose);
  return fits;
}

/* Returns true if elements of a file, in either byte order, have this type. */
static bool element_fits(hid_t in_file, cw_type type)
{
  if (!cwi_type_is_complex(type))
    return number_fits(in_file, type);
  return cwi_h5.H5Tget_class(in_file) == H5T_COMPOUND && cwi_h5.H5Tget_nmembers(in_file) == 2 &&
         member_fits(in_file, "r", type) && member_fits(in_file, "i", type);
}

static const char *class_text(hid_t in_file)
{
  switch (cwi_h5.H5Tget_class(in_file)) {
  case H5T_INTEGER:
    return cwi_h5.H5Tget_sign(in_file) == H5T_SGN_NONE ? "unsigned integers" : "integers";
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
  *bytes = cwi_h5.H5Tget_size(in_file);
  for (int candidate = 0; candidate < CW_TYPES; candidate++)
    if (element_fits(in_file, (cw_type)candidate)) {
      *type = (cw_type)candidate;
      *bytes = cwi_type_bytes[candidate]; /* a compound may have padding after its members */
      return true;
    }
  snprintf(text, CWI_ELEMENT_TEXT, "%s of %zu bytes", class_text(in_file), *bytes);
  *type = CW_OPAQUE;
  return *bytes > 0 && cwi_h5.H5Tget_class(in_file) == H5T_OPAQUE;
}

/* Included before all else in files that libcwga and libcwga-i4 share, as their code is the same
 * whatever size Fortran's INTEGER has. Where such a file comes to ask for the size, the compiler
 * says that `struct integer_of_either_size` is incomplete: then the file belongs to `sized` in
 * CMakeLists.txt. */
#ifndef EITHER_SIZE_H
#define EITHER_SIZE_H

#include "typesf2c.h"

struct integer_of_either_size;
#define Integer struct integer_of_either_size
#define logical struct integer_of_either_size
#define Logical struct integer_of_either_size

#endif

/* Opens HDF5. The lock around it, its error handler and its error stack, for this module. */
#include "file/hdf5.h"

#include "external/routines.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

struct cwi_hdf5_symbols cwi_h5;

static const struct cwi_symbol symbols[] = {
#define X(name) {#name, &cwi_h5.name},
#include "file/hdf5.def"
#undef X
    {NULL, NULL}};

cw_error cwi_hdf5_begin(void)
{
  return cwi_routines_find(CWI_HDF5, symbols);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void cwi_hdf5_enter(struct cwi_hdf5 *program)
{
  CWI_ASSERT(pthread_mutex_lock(&lock) == 0);
  *program = (struct cwi_hdf5){.version = 2};
  cwi_write_signals_block(&program->signals);
  CWI_ASSERT(cwi_h5.H5open() >= 0); /* sets the variables of its predefined types */
  CWI_ASSERT(cwi_h5.H5Eauto_is_v2(H5E_DEFAULT, &program->version) >= 0);
  if (program->version != 0) {
    CWI_ASSERT(cwi_h5.H5Eget_auto2(H5E_DEFAULT, &program->print2, &program->data) >= 0);
    CWI_ASSERT(cwi_h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0);
  } else {
    CWI_ASSERT(cwi_h5.H5Eget_auto1(&program->print1, &program->data) >= 0);
    CWI_ASSERT(cwi_h5.H5Eset_auto1(NULL, NULL) >= 0);
  }
}

void cwi_hdf5_leave(const struct cwi_hdf5 *program)
{
  if (program->version != 0)
    CWI_ASSERT(cwi_h5.H5Eset_auto2(H5E_DEFAULT, program->print2, program->data) >= 0);
  else
    CWI_ASSERT(cwi_h5.H5Eset_auto1(program->print1, program->data) >= 0);
  cwi_write_signals_restore(&program->signals);
  CWI_ASSERT(pthread_mutex_unlock(&lock) == 0);
}

enum { LONGEST_TEXT = 400 };

/* Keeps the first message. Entries come from the innermost function outwards, and the innermost is
 * the most precise. */
static herr_t keep_first(unsigned number, const H5E_error2_t *entry, void *text)
{
  H5E_type_t type = H5E_MAJOR;
  if (number > 0)
    return 0;
  if (entry->desc != NULL && entry->desc[0] != '\0')
    snprintf(text, LONGEST_TEXT, "%s", entry->desc);
  else if (cwi_h5.H5Eget_msg(entry->min_num, &type, text, LONGEST_TEXT) < 0)
    snprintf(text, LONGEST_TEXT, "error in %s", entry->func_name);
  return 0;
}

cw_error cwi_hdf5_failed(const char *doing, ...)
{
  char text[LONGEST_TEXT] = "", what[LONGEST_TEXT];
  va_list arguments;
  if (cwi_h5.H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, text) < 0 || text[0] == '\0')
    snprintf(text, sizeof text, "nothing about it");
  va_start(arguments, doing);
  vsnprintf(what, sizeof what, doing, arguments);
  va_end(arguments);
  return cwi_outside("cannot %s; HDF5 reports: %s", what, text);
}

/* Saves the error stack, because a successful close clears it. Objects closed here have been
 * flushed or only read, so errors of the close lose no data. */
void cwi_hdf5_close(hid_t id, herr_t (*close)(hid_t id))
{
  if (id < 0)
    return;
  const hid_t text = cwi_h5.H5Eget_current_stack();
  CWI_ASSERT(close(id) >= 0 || text >= 0);
  if (text >= 0)
    CWI_ASSERT(cwi_h5.H5Eset_current_stack(text) >= 0);
}

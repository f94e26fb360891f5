/* The calls of DRA in C. */
#include "ga/base/binding.h"
#include "ga/files/disk_array.h"

#include "dra.h"

#include <string.h>

int DRA_Init(int max_arrays, double max_array_size, double total_disk_space, double max_memory)
{
  (void)max_array_size;
  (void)total_disk_space;
  (void)max_memory;
  return CWI_GA(cwi_dra_start(max_arrays));
}

int DRA_Terminate(void)
{
  return CWI_GA_WAITS(cwi_dra_stop());
}

/* --- Arrays --- */

static cw_error dra_create(const struct cwi_dra_options *call_arguments, int *d_a)
{
  CWI_TRY(cwi_check_not_null("dims", call_arguments->dims));
  CWI_TRY(cwi_check_not_null("name", call_arguments->name));
  CWI_TRY(cwi_check_not_null("filename", call_arguments->path));
  CWI_TRY(cwi_check_not_null("d_a", d_a));
  return cwi_dra_create(call_arguments, d_a);
}

int NDRA_Create(int type, int ndim, dra_size_t dims[], char *name, char *filename, int mode,
                dra_size_t reqdims[], int *d_a)
{
  const struct cwi_dra_options call_arguments = {.type = type,
                                                 .ndim = ndim,
                                                 .dims = dims,
                                                 .request = reqdims,
                                                 .name = name,
                                                 .path = filename,
                                                 .mode = mode};
  return CWI_GA_WAITS(dra_create(&call_arguments, d_a));
}

static cw_error dra_open(const char *call, const char *path, int mode, int *d_a, bool *found)
{
  CWI_TRY(cwi_check_not_null("filename", path));
  CWI_TRY(cwi_check_not_null("d_a", d_a));
  return cwi_dra_open_or_report(call, path, mode, d_a, found);
}

int DRA_Open(char *filename, int mode, int *d_a)
{
  bool found = false;
  (void)CWI_GA_WAITS(dra_open(__func__, filename, mode, d_a, &found));
  return found ? 0 : -1;
}

int DRA_Close(int d_a)
{
  return CWI_GA_WAITS(cwi_dra_close(d_a, false));
}

int DRA_Delete(int d_a)
{
  return CWI_GA_WAITS(cwi_dra_close(d_a, true));
}

static cw_error dra_inquire(int d_a, int *type, int *ndim, dra_size_t *dims, char *name, char *path)
{
  struct cwi_dra *dra = NULL;
  CWI_TRY(cwi_dra_find(d_a, &dra));
  CWI_TRY(cwi_check_not_null("type", type));
  CWI_TRY(cwi_check_not_null("ndim", ndim));
  CWI_TRY(cwi_check_not_null("dims", dims));
  CWI_TRY(cwi_check_not_null("name", name));
  CWI_TRY(cwi_check_not_null("filename", path));
  *type = dra->shape.type;
  *ndim = dra->shape.ndim;
  memcpy(dims, dra->shape.dims, (size_t)dra->shape.ndim * sizeof *dims);
  strcpy(name, dra->shape.name);
  strcpy(path, dra->given);
  return CW_OK;
}

int NDRA_Inquire(int d_a, int *type, int *ndim, dra_size_t dims[], char *name, char *filename)
{
  return CWI_GA(dra_inquire(d_a, type, ndim, dims, name, filename));
}

/* --- Moving --- */

static cw_error dra_move(bool writes, int g_a, int d_a, int *request)
{
  CWI_TRY(cwi_check_not_null("request", request));
  return cwi_dra_move(&(struct cwi_dra_move){.writes = writes, .g_a = g_a, .handle = d_a}, request);
}

int NDRA_Write(int g_a, int d_a, int *request)
{
  return CWI_GA_WAITS(dra_move(true, g_a, d_a, request));
}

int NDRA_Read(int g_a, int d_a, int *request)
{
  return CWI_GA_WAITS(dra_move(false, g_a, d_a, request));
}

static cw_error dra_move_section(struct cwi_dra_move *move, const int *glo, const int *ghi,
                                 int *request)
{
  const int ndim = cwi_ga_ndim(move->g_a);
  CWI_TRY(cwi_check_not_null("glo", glo));
  CWI_TRY(cwi_check_not_null("ghi", ghi));
  CWI_TRY(cwi_check_not_null("dlo", move->dlo));
  CWI_TRY(cwi_check_not_null("dhi", move->dhi));
  CWI_TRY(cwi_check_not_null("request", request));
  const struct cwi_ga_index lo = cwi_ga_wide(ndim, glo), hi = cwi_ga_wide(ndim, ghi);
  move->glo = lo.at;
  move->ghi = hi.at;
  return cwi_dra_move(move, request);
}

int NDRA_Write_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[],
                       dra_size_t dhi[], int *request)
{
  struct cwi_dra_move move = {true, transp != 0, g_a, NULL, NULL, d_a, dlo, dhi};
  return CWI_GA_WAITS(dra_move_section(&move, glo, ghi, request));
}

int NDRA_Read_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[],
                      dra_size_t dhi[], int *request)
{
  struct cwi_dra_move move = {false, transp != 0, g_a, NULL, NULL, d_a, dlo, dhi};
  return CWI_GA_WAITS(dra_move_section(&move, glo, ghi, request));
}

int DRA_Wait(int request)
{
  return CWI_GA(cwi_dra_wait(request));
}

static cw_error dra_probe(int request, int *status)
{
  CWI_TRY(cwi_check_not_null("compl_status", status));
  *status = ELIO_DONE;
  return cwi_dra_wait(request);
}

int DRA_Probe(int request, int *compl_status)
{
  return CWI_GA(dra_probe(request, compl_status));
}

/* --- Configuration and printing --- */

void DRA_Set_default_config(int numfiles, int numioprocs)
{
  cwi_dra_configure(numfiles, numioprocs);
}

void DRA_Print_internals(int d_a)
{
  (void)CWI_GA(cwi_dra_print(d_a));
}

void DRA_Set_debug(logical flag)
{
  (void)flag;
}

void DRA_Flick(void) {}

/* The fake driver's modules. Of PTX it reads only the entries and the sizes of their parameters,
 * and it runs a C function of the same name that the test has provided. */
#include "device/fake_cuda/fake.h"

#include "device/host/kernels_host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_ENTRIES = 64,
  MOST_PARAMETERS = 128,
  LONGEST_NAME = 64,
  MOST_TABLES = 64,
  ERROR_LOG = 5,
  ERROR_LOG_SIZE = 6,
  MOST_THREADS = 1024,
  MOST_DEPTH = 64,
  MOST_BLOCKS_YZ = 65535
};

struct entry {
  char name[LONGEST_NAME];
  struct module *module;
  size_t sizes[MOST_PARAMETERS];
  int count;
};

struct module {
  struct module *next;
  struct entry entries[MOST_ENTRIES];
  int count, pending; /* pending: kernels that have not ended */
};

struct launch_op {
  struct fake_op op;
  cw_host_kernel function;
  size_t global[3];
  void *arguments[MOST_PARAMETERS];
  char values[]; /* one after the other, each at a multiple of 16 */
};

static struct module *modules;
static const cw_host_function *tables[MOST_TABLES] = {cwi_kernels_host};

void fake_cuda_functions(const cw_host_function *functions)
{
  pthread_mutex_lock(&fake_lock);
  int i = 0;
  while (i < MOST_TABLES - 1 && tables[i] != NULL && tables[i] != functions)
    i++;
  tables[i] = functions;
  pthread_mutex_unlock(&fake_lock);
}

/* A program that is not one of these tests names its table of functions in FAKE_CUDA_TABLE. */
static void module_program_table(void)
{
  const char *name = getenv("FAKE_CUDA_TABLE");
  int i = 0;
  while (i < MOST_TABLES - 1 && tables[i] != NULL)
    i++;
  if (name != NULL && tables[i] == NULL)
    tables[i] = dlsym(RTLD_DEFAULT, name);
}

static cw_host_kernel module_function(const char *name)
{
  if (tables[1] == NULL)
    module_program_table();
  for (int i = 0; i < MOST_TABLES && tables[i] != NULL; i++)
    for (const cw_host_function *function = tables[i]; function->name != NULL; function++)
      if (strcmp(function->name, name) == 0)
        return function->function;
  return NULL;
}

/* --- PTX -------------------------------------------------------------------------------------- */

/* Parses ".param .align 8 .b8 name[16]" and returns 16; 0 for anything else. */
static size_t ptx_parameter(const char *text, size_t length)
{
  static const char *const types[] = {"8", "16", "32", "64"};
  char copy[256];
  unsigned long times = 1;
  if (length >= sizeof copy)
    return 0;
  memcpy(copy, text, length);
  copy[length] = '\0';
  if (strstr(copy, ".param") == NULL)
    return 0;
  const char *bracket = strchr(copy, '[');
  if (bracket != NULL)
    times = strtoul(bracket + 1, NULL, 10);
  for (size_t i = 0; i < 4; i++)
    for (const char *letter = "busf"; *letter != '\0'; letter++) {
      char type[8];
      snprintf(type, sizeof type, ".%c%s ", *letter, types[i]);
      if (strstr(copy, type) != NULL)
        return ((size_t)1 << i) * times;
    }
  return 0;
}

/* Parses an entry after ".entry". Returns false if it is malformed. */
static bool ptx_entry(const char *at, struct entry *entry)
{
  at += strspn(at, " \t\n");
  const size_t length = strcspn(at, "( \t\n");
  const char *open = at + length + strspn(at + length, " \t\n"), *close = strchr(open, ')');
  if (length == 0 || length >= LONGEST_NAME || *open != '(' || close == NULL)
    return false;
  snprintf(entry->name, sizeof entry->name, "%.*s", (int)length, at);
  for (const char *text = open + 1; text < close && entry->count < MOST_PARAMETERS;) {
    const char *comma = memchr(text, ',', (size_t)(close - text));
    const char *end = comma != NULL ? comma : close;
    if (strspn(text, " \t\n") < (size_t)(end - text)) {
      entry->sizes[entry->count] = ptx_parameter(text, (size_t)(end - text));
      if (entry->sizes[entry->count++] == 0)
        return false;
    }
    text = end + 1;
  }
  return true;
}

/* Returns NULL on success, else the position of the error. */
static const char *ptx_read(const char *text, struct module *module)
{
  const char *version = strstr(text, ".version"), *bad = strstr(text, "no_such_instruction");
  if (version == NULL || strstr(text, ".target") == NULL)
    return text;
  if (bad != NULL)
    return bad;
  for (const char *at = strstr(text, ".entry"); at != NULL; at = strstr(at + 1, ".entry")) {
    struct entry *entry = &module->entries[module->count];
    entry->module = module;
    if (module->count == MOST_ENTRIES || !ptx_entry(at + strlen(".entry"), entry))
      return at;
    module->count++;
  }
  return NULL;
}

static void ptx_complain(const char *text, const char *bad, unsigned count, const int *options,
                         void **values)
{
  char *log = NULL;
  size_t size = 0;
  int line = 1;
  for (unsigned i = 0; i < count; i++) {
    if (options[i] == ERROR_LOG)
      log = values[i];
    if (options[i] == ERROR_LOG_SIZE)
      size = (size_t)(uintptr_t)values[i];
  }
  for (const char *at = text; at < bad; at++)
    line += *at == '\n';
  if (log != NULL && size > 0)
    snprintf(log, size,
             "ptxas application ptx input, line %d; fatal : Parsing error near '%.*s': "
             "syntax error",
             line, (int)strcspn(bad, " ;\n"), bad);
}

int cuModuleLoadDataEx(void **made, const void *text, unsigned count, int *options, void **values)
{
  FAKE_BEGIN(NEED_CONTEXT);
  struct module *module = calloc(1, sizeof *module);
  if (module == NULL)
    abort();
  const char *bad = ptx_read(text, module);
  if (bad != NULL) {
    ptx_complain(text, bad, count, options, values);
    free(module);
    return fake_leave(FAKE_INVALID_PTX);
  }
  module->next = modules;
  modules = module;
  *made = module;
  return fake_leave(FAKE_OK);
}

static struct module **module_link(const void *module)
{
  struct module **link = &modules;
  while (*link != NULL && *link != module)
    link = &(*link)->next;
  return link;
}

int cuModuleGetFunction(void **function, void *handle, const char *name)
{
  FAKE_BEGIN(NEED_CONTEXT);
  struct module *module = *module_link(handle);
  if (module == NULL)
    return fake_leave(FAKE_INVALID_HANDLE);
  int i = 0;
  while (i < module->count && strcmp(module->entries[i].name, name) != 0)
    i++;
  if (i == module->count)
    return fake_leave(FAKE_NOT_FOUND);
  *function = &module->entries[i];
  return fake_leave(FAKE_OK);
}

int cuModuleUnload(void *handle)
{
  FAKE_BEGIN_END(NEED_CONTEXT);
  struct module **link = module_link(handle), *module = *link;
  if (module == NULL) {
    fake_misused("cuModuleUnload: %p is no module", handle);
    return fake_leave(FAKE_INVALID_HANDLE);
  }
  *link = module->next;
  if (module->pending > 0)
    fake_misused("a module goes while %d of its kernels have not ended", module->pending);
  else
    free(module);
  return fake_leave(result);
}

int fake_modules_left(bool report)
{
  int left = 0;
  for (struct module *module = modules; module != NULL; module = module->next)
    left++;
  if (report && left > 0)
    fake_misused("%d modules are left", left);
  return left;
}

/* --- Launches --------------------------------------------------------------------------------- */

static void launch_run(struct fake_op *op)
{
  const struct launch_op *launch = (struct launch_op *)op;
  launch->function(launch->arguments, launch->global);
}

static size_t launch_step(size_t bytes)
{
  return (bytes + 15) / 16 * 16;
}

/* Copies the arguments. A parameter of 8 bytes that is a device address is treated as memory. */
static void launch_take(struct launch_op *launch, const struct entry *entry, void **arguments)
{
  char *place = launch->values;
  for (int i = 0; i < entry->count; i++) {
    memcpy(place, arguments[i], entry->sizes[i]);
    launch->arguments[i] = place;
    uint64_t address = 0;
    if (entry->sizes[i] == sizeof address)
      memcpy(&address, place, sizeof address);
    struct fake_block *block = address != 0 ? fake_block_of(address, 1) : NULL;
    if (block != NULL) {
      fake_uses(&launch->op, block);
      launch->arguments[i] = fake_secret(block, address);
    }
    place += launch_step(entry->sizes[i]);
  }
}

static struct launch_op *launch_make(struct entry *entry, void **arguments)
{
  size_t bytes = 0;
  for (int i = 0; i < entry->count; i++)
    bytes += launch_step(entry->sizes[i]);
  struct launch_op *launch = calloc(1, sizeof *launch + bytes);
  if (launch == NULL)
    abort();
  launch->op.run = launch_run;
  launch->op.module = &entry->module->pending;
  launch->function = module_function(entry->name);
  launch_take(launch, entry, arguments);
  return launch;
}

static bool launch_is_possible(const unsigned grid[3], const unsigned block[3], unsigned shared)
{
  const unsigned long threads = (unsigned long)block[0] * block[1] * block[2];
  return threads > 0 && threads <= MOST_THREADS && block[2] <= MOST_DEPTH && grid[0] > 0 &&
         grid[0] <= 0x7fffffff && grid[1] > 0 && grid[1] <= MOST_BLOCKS_YZ && grid[2] > 0 &&
         grid[2] <= MOST_BLOCKS_YZ && shared == 0;
}

/* NOLINTNEXTLINE(readability-function-size): the driver's parameters */
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void *stream, void **arguments, void **extra)
{
  FAKE_BEGIN(NEED_CONTEXT);
  const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
  struct entry *entry = function;
  if (!launch_is_possible(grid, block, shared) || extra != NULL)
    return fake_leave(FAKE_INVALID_VALUE);
  if (module_function(entry->name) == NULL) {
    fake_misused("cuLaunchKernel: the test has given no function %s", entry->name);
    return fake_leave(FAKE_INVALID_DEVICE_FUNCTION);
  }
  struct launch_op *launch = launch_make(entry, arguments);
  for (int i = 0; i < 3; i++)
    launch->global[i] = (size_t)grid[i] * block[i];
  return fake_leave(fake_put(stream, &launch->op) ? FAKE_OK : FAKE_INVALID_HANDLE);
}

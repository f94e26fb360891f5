/* Implements tests/kit/devices.h. */
#include "kit/devices.h"

#include "array/array.h"
#include "memory/device_address.h"

#include <string.h>

static cw_device device;
static cw_region device_region;

void kit_take_devices(int *argc, char **argv)
{
  if (*argc < 2 || strcmp(argv[1], "device") != 0)
    return;
  for (int i = 1; i < *argc; i++) /* argv[argc] is NULL */
    argv[i] = argv[i + 1];
  --*argc;
  KIT_MUST(cw_device_open(NULL, &device));
  KIT_MUST(cw_region_create_on(cw_team_world(), device, KIT_DEVICE_BYTES, &device_region, NULL));
}

void kit_close_devices(void)
{
  if (device != NULL)
    KIT_OK(cw_region_free(cw_team_world(), &device_region));
  KIT_OK(cw_device_close(&device));
}

char *kit_device_memory(void)
{
  return cw_region_address(device_region, kit_me());
}

bool kit_uses_devices(void)
{
  return device != NULL;
}

cw_error kit_array_create(cw_team team, const cw_array_options *options, cw_array *array)
{
  cw_array_options mine = *options;
  if (device == NULL)
    return cw_array_create(team, options, array);
  const int kind = kit_common(4), rotation = kit_common(3);
  if (kind == 0 || (kind > 1 && (kit_me() + rotation) % 3 < 2))
    mine.device = device;
  return kind == 1 ? cw_array_create(team, options, array) : cw_array_create(team, &mine, array);
}

bool kit_on_device(cw_array array, int rank)
{
  return cwi_rank_on_device(array, rank);
}

bool kit_on_devices(cw_array array)
{
  cw_array_description what;
  KIT_MUST(cw_array_describe(array, &what));
  return what.on_devices;
}

bool kit_on_host(cw_array array, const char *call, cw_error error)
{
  if (!kit_on_devices(array))
    return kit_call_ok(call, error);
  kit_call_fails(call, error, CW_MISUSE, "on devices|cw_array_copy");
  return false;
}

static bool is_shared(void)
{
  cw_device_facts facts;
  KIT_MUST(cw_device_describe(device, &facts));
  return facts.shared;
}

/* Returns true if this process's part lies on its device, whose memory the host may share. */
static bool mine_on_device(cw_array array)
{
  cw_array_description what;
  KIT_MUST(cw_array_describe(array, &what));
  const bool is = cwi_rank_on_device(array, cw_team_rank(what.team));
  kit_check(what.device == (is ? device : NULL) || (what.device == device && is_shared()),
            "the description's device is %p", (void *)what.device);
  return what.device != NULL;
}

/* Checks that loads from a part on a device are rejected, unless its memory is the host's. */
static void check_loads(const char *call, cw_error error)
{
  if (is_shared())
    kit_call_ok(call, error);
  else
    kit_call_fails(call, error, CW_MISUSE, "on a device|cw_array_access_device");
}

void kit_access_mine(cw_array array, const int64_t *lo, const int64_t *hi, cw_array_view *view)
{
  void *memory = NULL;
  if (!mine_on_device(array)) {
    KIT_MUST(cw_array_access(array, lo, hi, view));
    KIT_MISUSE("host memory|cw_array_access", cw_array_access_device(array, lo, hi, NULL, view));
    return;
  }
  check_loads("cw_array_access", cw_array_access(array, lo, hi, view));
  if (is_shared())
    KIT_OK(cw_array_release(array, view));
  KIT_MUST(cw_array_access_device(array, lo, hi, &memory, view));
  kit_check((char *)memory <= (char *)view->address && cwi_is_device_address(memory) != is_shared(),
            "the view's address, %p, is before its memory's, %p", view->address, memory);
}

void kit_access_all_mine(cw_array array, cw_array_view *view)
{
  cw_array_description what;
  KIT_MUST(cw_array_describe(array, &what));
  if (!mine_on_device(array)) {
    KIT_MUST(cw_array_access_local(array, cw_team_rank(what.team), view));
    return;
  }
  check_loads("cw_array_access_local", cw_array_access_local(array, cw_team_rank(what.team), view));
  if (is_shared())
    KIT_OK(cw_array_release(array, view));
  KIT_MUST(cw_array_access_device(array, NULL, NULL, NULL, view));
}

const char *kit_host_bytes(const char *address, size_t bytes, char *copy)
{
  if (!cwi_is_device_address(address))
    return address;
  KIT_OK(cw_get(copy, address, bytes, kit_me()));
  return copy;
}

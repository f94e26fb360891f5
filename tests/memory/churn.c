/* Makes and frees a million 8-byte regions, as Global Arrays programs do.
 *
 *   churn [number of regions] */
#include "kit/native.h"

#include "memory/zone.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "churn");
  const long regions = argc > 1 ? atol(argv[1]) : 1000000;
  const int me = kit_me(), next = (me + 1) % kit_processes();
  void **addresses = kit_alloc((size_t)kit_processes(), sizeof *addresses);
  long wrong = 0, failed = 0;
  size_t resident = 0;
  kit_about("create, use and free of %ld regions", regions);
  for (long i = 0; i < regions; i++) {
    cw_region region = NULL;
    failed += cw_region_create(cw_team_world(), 8, &region, addresses) != CW_OK;
    if (i % 64 == 0) {
      const long sent = i * 16 + me;
      long got = -1;
      failed += cw_put(&sent, addresses[next], 8, next) != CW_OK;
      failed += cw_barrier(cw_team_world()) != CW_OK;
      memcpy(&got, addresses[me], 8);
      wrong += got != i * 16 + (me + kit_processes() - 1) % kit_processes();
    }
    failed += cw_region_free(cw_team_world(), &region) != CW_OK;
    resident = i == regions / 2 ? cwi_zone_resident() : resident;
  }
  kit_check_long(failed, 0, "number of failed calls");
  kit_check_long(wrong, 0, "number of wrong values");
  kit_check(cwi_zone_resident() <= resident + CWI_GRANULE,
            "the zone has grown from %zu to %zu bytes in the second half", resident,
            cwi_zone_resident());
  free(addresses);
  return kit_finish_native();
}

/* Stands in for timeline_otf2.c if OTF2's library was missing when Causeway was built. */
#include "timeline/timeline_writer.h"

static const char *otf2_why_not(void)
{
  return "a name that ends in .otf2 needs the library of OTF2 (Debian: libotf2-trace-dev), and it "
         "was not there when Causeway was built; a name that ends in .json needs no library";
}

const struct cwi_timeline_writer cwi_timeline_otf2 = {.why_not = otf2_why_not};

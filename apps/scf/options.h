/* The command line. */
#ifndef SCF_OPTIONS_H
#define SCF_OPTIONS_H

#include "basis.h"
#include "scf.h"

#include <stdbool.h>

struct options {
  const char *molecule; /* path */
  struct basis_source basis;
  int charge;
  bool expected; /* --expect was given */
  double energy_expected;
  bool help;
  struct scf_settings scf;
};

/** The text that --help prints. */
extern const char options_help[];

/** False with error_text when the command line is wrong. */
bool options_parse(struct options *options, int argument_count, char **arguments);

#endif

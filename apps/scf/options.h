/* The options of the command line. */
#pragma once

#include "basis.h"
#include "scf.h"

#include <stdbool.h>

struct options {
  const char *molecule; /* path of the .xyz file */
  struct basis_source basis;
  int charge;
  bool expected; /* --expect was given */
  double energy_expected;
  bool help;
  struct scf_settings scf;
};

/** The text that --help prints. */
extern const char options_help[];

/** Parses the command line. Returns false and sets error_text if it is wrong. */
bool options_parse(struct options *options, char **arguments);

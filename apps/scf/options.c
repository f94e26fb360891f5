/* Parses the command line. */
#include "options.h"

#include "error.h"
#include "text.h"

#include <stddef.h>
#include <string.h>

const char options_help[] =
    "usage: scf MOLECULE.xyz [options]\n"
    "\n"
    "Restricted Hartree-Fock energy of a molecule, on Global Arrays.\n"
    "\n"
    "  --basis NAME         basis set, such as cc-pvdz or 6-31g* (cc-pvdz)\n"
    "  --basis-dir DIR      directory of basis sets in NWChem's library format\n"
    "                       (/usr/share/nwchem/libraries)\n"
    "  --spherical          spherical functions, whatever the basis set says\n"
    "  --cartesian          Cartesian functions, whatever the basis set says\n"
    "  --charge N           charge of the molecule (0)\n"
    "  --tolerance E        converge the energy to E hartree (1e-9)\n"
    "  --screening T        leave out contributions to the Fock matrix below T (1e-11)\n"
    "  --max-iterations N   give up after N iterations (60)\n"
    "  --cache-tiles N      density and Fock tiles a process holds at once (4096)\n"
    "  --tasks WAY          tasks of the Fock matrix from a shared counter, or from a pool\n"
    "                       with work stealing: counter or pool (counter)\n"
    "  --expect ENERGY      fail unless the energy is ENERGY within 1e-7 hartree\n"
    "  --save FILE          keep the density and the energies in FILE (HDF5) at the end\n"
    "  --load FILE          go on from the density in FILE\n"
    "  --quiet              print the energy only\n"
    "  --help               print this text\n";

enum option_type { OPTION_FLAG, OPTION_TEXT, OPTION_INTEGER, OPTION_NUMBER, OPTION_WORK };

struct option {
  const char *name;
  enum option_type type;
  size_t offset; /* offset of the value in struct options */
  double least;  /* lower bound: a number must be greater, an integer may be equal */
};

static const struct option table[] = {
    {"--basis", OPTION_TEXT, offsetof(struct options, basis.name), 0},
    {"--basis-dir", OPTION_TEXT, offsetof(struct options, basis.directory), 0},
    {"--charge", OPTION_INTEGER, offsetof(struct options, charge), -1e6},
    {"--tolerance", OPTION_NUMBER, offsetof(struct options, scf.tolerance), 0},
    {"--screening", OPTION_NUMBER, offsetof(struct options, scf.fock.screening), 0},
    {"--max-iterations", OPTION_INTEGER, offsetof(struct options, scf.iterations_max), 1},
    {"--cache-tiles", OPTION_INTEGER, offsetof(struct options, scf.fock.cache_tiles), 1},
    {"--tasks", OPTION_WORK, offsetof(struct options, scf.fock.work), 0},
    {"--expect", OPTION_NUMBER, offsetof(struct options, energy_expected), -1e9},
    {"--save", OPTION_TEXT, offsetof(struct options, scf.save), 0},
    {"--load", OPTION_TEXT, offsetof(struct options, scf.load), 0},
    {"--quiet", OPTION_FLAG, offsetof(struct options, scf.quiet), 0},
    {"--help", OPTION_FLAG, offsetof(struct options, help), 0},
};

static const struct option *option_find(const char *name)
{
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    if (strcmp(table[i].name, name) == 0)
      return &table[i];
  }
  return NULL;
}

static bool value_store(struct options *options, const struct option *option, const char *word)
{
  void *value = (char *)options + option->offset;
  switch (option->type) {
  case OPTION_FLAG:
    *(bool *)value = true;
    return true;
  case OPTION_TEXT:
    *(const char **)value = word;
    return *word != '\0' || error_set("%s needs a value that is not empty", option->name);
  case OPTION_INTEGER:
    if (!integer_parse(word, value) || *(int *)value < option->least) {
      return error_set("%s needs a whole number from %.0f on, not \"%s\"", option->name,
                       option->least, word);
    }
    return true;
  case OPTION_NUMBER:
    if (!number_parse(word, value) || *(double *)value <= option->least) {
      return error_set("%s needs a number above %g, not \"%s\"", option->name, option->least, word);
    }
    return true;
  case OPTION_WORK:
    *(const struct work_source **)value = work_source_find(word);
    return *(const struct work_source **)value != NULL;
  }
  return false;
}

/* Parses the option at *index with its value, if it has one. */
static bool option_parse(struct options *options, int *index, int count, char **arguments)
{
  const char *name = arguments[*index];
  if (strcmp(name, "--spherical") == 0 || strcmp(name, "--cartesian") == 0) {
    options->basis.kind = name[2] == 's' ? FUNCTIONS_SPHERICAL : FUNCTIONS_CARTESIAN;
    return true;
  }
  const struct option *option = option_find(name);
  if (!option)
    return error_set("there is no option \"%s\" (see --help)", name);
  const char *value = NULL;
  if (option->type != OPTION_FLAG) {
    if (*index + 1 == count)
      return error_set("%s needs a value", name);
    value = arguments[++*index];
  }
  if (strcmp(name, "--expect") == 0)
    options->expected = true;
  return value_store(options, option, value);
}

bool options_parse(struct options *options, int argument_count, char **arguments)
{
  *options = (struct options){
      .basis = {.name = "cc-pvdz", .directory = "/usr/share/nwchem/libraries"},
      .scf = {.tolerance = 1e-9,
              .iterations_max = 60,
              .fock = {.screening = 1e-11, .cache_tiles = 4096, .work = &work_counter}}};
  for (int i = 1; i < argument_count; i++) {
    if (arguments[i][0] == '-') {
      if (!option_parse(options, &i, argument_count, arguments))
        return false;
    } else if (options->molecule) {
      return error_set("two molecules are given, %s and %s", options->molecule, arguments[i]);
    } else {
      options->molecule = arguments[i];
    }
  }
  if (options->scf.fock.screening >= options->scf.tolerance)
    return error_set(
        "--screening must be smaller than --tolerance, or the noise of the Fock matrix "
        "hides the convergence");
  options->scf.fock.progress = !options->scf.quiet;
  if (!options->molecule && !options->help) {
    return error_set("no molecule is given (see --help)");
  }
  return true;
}

/* Parses the command line. */
#include "options.h"

#include "../command_line.h"
#include "error.h"
#include "text.h"

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

static bool read_positive(const char *word, void *target)
{
  return number_parse(word, target) && *(double *)target > 0;
}

static bool read_expected(const char *word, void *target)
{
  struct options *options = target;
  options->expected = true;
  return number_parse(word, &options->energy_expected);
}

static bool read_work(const char *word, void *target)
{
  *(const struct work_source **)target = work_source_find(word);
  return *(const struct work_source **)target != NULL;
}

static const char *read_molecule(const char *word, void *given)
{
  const char **molecule = given;
  if (*molecule)
    return command_wrong("two molecules are given, %s and %s", *molecule, word);
  *molecule = word;
  return NULL;
}

bool options_parse(struct options *options, char **arguments)
{
  const struct command_option table[] = {
      {"--basis", COMMAND_TEXT, .target = &options->basis.name},
      {"--basis-dir", COMMAND_TEXT, .target = &options->basis.directory},
      {"--spherical", COMMAND_SET, .target = &options->basis.kind, FUNCTIONS_SPHERICAL},
      {"--cartesian", COMMAND_SET, .target = &options->basis.kind, FUNCTIONS_CARTESIAN},
      {"--charge", COMMAND_INT, .target = &options->charge, -1000000},
      {"--tolerance", COMMAND_READ, .target = &options->scf.tolerance, .read = read_positive,
       .needs = "a number above 0"},
      {"--screening", COMMAND_READ, .target = &options->scf.fock.screening, .read = read_positive,
       .needs = "a number above 0"},
      {"--max-iterations", COMMAND_INT, .target = &options->scf.iterations_max, 1},
      {"--cache-tiles", COMMAND_INT, .target = &options->scf.fock.cache_tiles, 1},
      {"--tasks", COMMAND_READ, .target = &options->scf.fock.work, .read = read_work},
      {"--expect", COMMAND_READ, .target = options, .read = read_expected, .needs = "a number"},
      {"--save", COMMAND_TEXT, .target = &options->scf.save},
      {"--load", COMMAND_TEXT, .target = &options->scf.load},
      {"--quiet", COMMAND_SWITCH, .target = &options->scf.quiet},
      {"--help", COMMAND_HELP, .target = &options->help},
      {.name = NULL}};
  *options = (struct options){
      .basis = {.name = "cc-pvdz", .directory = "/usr/share/nwchem/libraries"},
      .scf = {.tolerance = 1e-9,
              .iterations_max = 60,
              .fock = {.screening = 1e-11, .cache_tiles = 4096, .work = &work_counter}}};
  const char *wrong = command_read(arguments, table, read_molecule, &options->molecule);
  if (wrong)
    return *wrong != '\0' ? error_set("%s", wrong) : false;
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

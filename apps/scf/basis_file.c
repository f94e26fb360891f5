/* Parses files of NWChem's basis library. */
#include "basis_file.h"

#include "error.h"
#include "text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = WORDS_MAX - 1, PRIMITIVES_MAX = 128 };

/* Values of shell_table.element that are not elements. */
enum { TABLE_NONE = 0, TABLE_UNWANTED = -1 };

/* One table of numbers of the file: exponents and columns of coefficients. */
struct shell_table {
  int element;
  int momentum;
  bool sp; /* true if the first column is an s shell and the second a p shell */
  int columns;
  int rows;
  double exponents[PRIMITIVES_MAX];
  double coefficients[PRIMITIVES_MAX][COLUMNS_MAX];
};

struct basis_parser {
  struct basis *basis;
  const struct basis_source *source;
  const struct element_set *elements;
  struct line_reader reader;
  bool cores_only; /* only search for effective core potentials, and skip the basis blocks */
  int match_wanted;
  bool inside;    /* within a basis block that is wanted */
  bool spherical; /* true if the block has spherical functions */
  struct shell_table table;
  char core_library[128]; /* file of effective core potentials if the basis names one, else empty */
};

/* Writes the file name that NWChem uses for a basis: 6-31gs for "6-31G*", dzp_dunning for "DZP
 * (Dunning)". */
static void name_to_file(const char *name, char *file, size_t size)
{
  size_t length = 0;
  for (; *name && length + 1 < size; name++) {
    char letter = (char)tolower((unsigned char)*name);
    if (letter == '(' || letter == ')')
      continue;
    if (letter == '*')
      letter = 's';
    if (letter == ' ' || letter == ',')
      letter = '_';
    file[length++] = letter;
  }
  file[length] = '\0';
}

/* Returns how well the title of a block, such as "O_cc-pVDZ", fits the wanted name: 2 if it is
 * equal, 1 if both have the same file name, else 0. One file may have two sets (def2-SV(P) and
 * def2-SVP); then only the blocks that fit best are read. */
static int title_match(const char *line, const char *name)
{
  const char *start = strchr(line, '"');
  if (!start)
    return 0;
  const char *end = strchr(start + 1, '"');
  const char *divider = strchr(start, '_');
  if (!end || !divider || divider > end)
    return 0;

  char title[256], title_file[256], name_file[256];
  size_t length = (size_t)(end - divider - 1);
  if (length >= sizeof title)
    return 0;
  memcpy(title, divider + 1, length);
  title[length] = '\0';
  if (word_equal(title, name))
    return 2;
  name_to_file(title, title_file, sizeof title_file);
  name_to_file(name, name_file, sizeof name_file);
  return strcmp(title_file, name_file) == 0;
}

/* Returns true if the first word of a line is `word`. It does not change the line. */
static bool line_starts(const char *line, const char *word)
{
  line += strspn(line, " \t");
  size_t length = strcspn(line, " \t\"");
  char first[32];
  if (length == 0 || length >= sizeof first)
    return false;
  memcpy(first, line, length);
  first[length] = '\0';
  return word_equal(first, word);
}

static int match_best(const struct text *text, const char *name)
{
  struct line_reader reader = line_reader_create(text);
  int best = 0;
  while (line_next_filled(&reader)) {
    if (!line_starts(reader.line, "basis"))
      continue;
    int match = title_match(reader.line, name);
    if (match > best)
      best = match;
  }
  return best;
}

static void contraction_append(struct basis *basis, const struct shell_table *table, int column,
                               int momentum, bool spherical)
{
  size_t count = (size_t)basis->contraction_count;
  struct contraction *grown = memory_allocate(count + 1, sizeof *grown);
  if (count)
    memcpy(grown, basis->contractions, count * sizeof *grown);
  free(basis->contractions);
  basis->contractions = grown;
  basis->contraction_count++;

  struct contraction *added = &grown[count];
  *added = (struct contraction){
      .element = table->element, .momentum = momentum, .spherical = spherical && momentum > 1};
  added->exponents = memory_allocate((size_t)table->rows, sizeof(double));
  added->coefficients = memory_allocate((size_t)table->rows, sizeof(double));
  for (int row = 0; row < table->rows; row++) {
    if (table->coefficients[row][column] == 0)
      continue;
    int primitive = added->primitive_count++;
    added->exponents[primitive] = table->exponents[row];
    added->coefficients[primitive] = table->coefficients[row][column];
  }
}

/* Appends a contraction for each column of the table that has been read. */
static bool table_finish(struct basis_parser *parser)
{
  struct shell_table *table = &parser->table;
  const char *path = parser->reader.text->path;
  if (table->element == TABLE_NONE || table->element == TABLE_UNWANTED) {
    table->element = TABLE_NONE;
    return true;
  }
  if (table->rows == 0) {
    return error_set("%s:%d: a shell of %s ends here without numbers", path, parser->reader.number,
                     element_symbol(table->element));
  }
  if (table->sp && table->columns != 2) {
    return error_set("%s:%d: an SP shell of %s must have two columns of coefficients", path,
                     parser->reader.number, element_symbol(table->element));
  }
  bool spherical = parser->source->kind == FUNCTIONS_SPHERICAL ||
                   (parser->source->kind == FUNCTIONS_AS_FILE && parser->spherical);
  for (int column = 0; column < table->columns; column++) {
    int momentum = table->sp ? column : table->momentum;
    contraction_append(parser->basis, table, column, momentum, spherical);
  }
  table->element = TABLE_NONE;
  return true;
}

static bool table_start(struct basis_parser *parser, char *words[WORDS_MAX])
{
  static const char letters[] = "spdfghiklmno";
  const char *path = parser->reader.text->path;
  int element = element_number(words[0]);
  if (element == 0) {
    return error_set("%s:%d: \"%s\" is not an element", path, parser->reader.number, words[0]);
  }
  bool sp = word_equal(words[1], "sp");
  const char *letter =
      words[1][1] == '\0' ? strchr(letters, tolower((unsigned char)words[1][0])) : NULL;
  if (!sp && !letter) {
    return error_set("%s:%d: \"%s\" is not a kind of shell", path, parser->reader.number, words[1]);
  }
  struct shell_table *table = &parser->table;
  table->element = element;
  table->sp = sp;
  table->momentum = sp ? 0 : (int)(letter - letters);
  table->rows = table->columns = 0;
  return true;
}

static bool row_parse(struct basis_parser *parser, char *words[WORDS_MAX], int count)
{
  struct shell_table *table = &parser->table;
  const char *path = parser->reader.text->path;
  int line = parser->reader.number;
  if (table->element == TABLE_NONE)
    return error_set("%s:%d: numbers before a shell", path, line);
  if (table->rows == PRIMITIVES_MAX) {
    return error_set("%s:%d: more than %d primitives in a shell", path, line, PRIMITIVES_MAX);
  }
  if (count < 2 || (table->rows && count - 1 != table->columns)) {
    return error_set("%s:%d: expected an exponent and %d coefficient(s)", path, line,
                     table->rows ? table->columns : 1);
  }
  double exponent;
  if (!number_parse(words[0], &exponent) || exponent <= 0) {
    return error_set("%s:%d: \"%s\" is not an exponent", path, line, words[0]);
  }
  table->columns = count - 1;
  table->exponents[table->rows] = exponent;
  for (int column = 0; column < table->columns; column++) {
    if (!number_parse(words[1 + column], &table->coefficients[table->rows][column])) {
      return error_set("%s:%d: \"%s\" is not a coefficient", path, line, words[1 + column]);
    }
  }
  table->rows++;
  return true;
}

static void block_start(struct basis_parser *parser)
{
  const char *line = parser->reader.line;
  parser->inside =
      !parser->cores_only && title_match(line, parser->source->name) >= parser->match_wanted;
  const char *quote = strrchr(line, '"');
  char options[sizeof parser->reader.line], *words[WORDS_MAX];
  snprintf(options, sizeof options, "%s", quote ? quote + 1 : line);
  int count = words_split(options, words);
  parser->spherical = false; /* NWChem's default */
  for (int i = 0; i < count; i++) {
    if (word_equal(words[i], "spherical"))
      parser->spherical = true;
  }
}

/* Parses a line outside of the basis blocks. Only effective core potentials matter there: a basis
 * that was made for one gives a wrong energy without it. */
static bool outside_parse(struct basis_parser *parser)
{
  char *words[WORDS_MAX];
  int count = words_split(parser->reader.line, words);
  if (count >= 2 && word_equal(words[0], "associated_ecp")) {
    const char *name = words[1] + (words[1][0] == '"');
    snprintf(parser->core_library, sizeof parser->core_library, "%.*s", (int)strcspn(name, "\""),
             name);
  }
  if (count >= 3 && word_equal(words[1], "nelec")) {
    int element = element_number(words[0]);
    if (element && parser->elements->wanted[element]) {
      return error_set("%s:%d: %s needs an effective core potential, which this program "
                       "does not have",
                       parser->reader.text->path, parser->reader.number, element_symbol(element));
    }
  }
  return true;
}

static bool inside_parse(struct basis_parser *parser)
{
  char *words[WORDS_MAX];
  int count = words_split(parser->reader.line, words);
  if (isalpha((unsigned char)words[0][0]) && count == 2) {
    if (!table_finish(parser) || !table_start(parser, words))
      return false;
    if (!parser->elements->wanted[parser->table.element]) {
      parser->table.element = TABLE_UNWANTED;
    }
    return true;
  }
  if (parser->table.element == TABLE_UNWANTED)
    return true;
  return row_parse(parser, words, count);
}

static bool line_parse(struct basis_parser *parser)
{
  const char *line = parser->reader.line;
  if (line_starts(line, "basis")) {
    if (parser->inside) {
      return error_set("%s:%d: a block starts inside a block, whose \"end\" is missing",
                       parser->reader.text->path, parser->reader.number);
    }
    block_start(parser);
    return true;
  }
  if (line_starts(line, "end")) {
    bool done = table_finish(parser);
    parser->inside = false;
    return done;
  }
  return parser->inside ? inside_parse(parser) : outside_parse(parser);
}

static bool parser_run(struct basis_parser *parser, const char *file)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", parser->source->directory, file);
  struct text text;
  if (!text_read(&text, path))
    return false;
  parser->reader = line_reader_create(&text);
  parser->match_wanted = match_best(&text, parser->source->name);
  parser->table.element = TABLE_NONE;
  bool done = true;
  while (done && line_next_filled(&parser->reader))
    done = line_parse(parser);
  if (done && parser->inside)
    done = error_set("%s: the last block has no \"end\"", path);
  text_free(&text);
  return done;
}

bool basis_file_read(struct basis *basis, const struct basis_source *source,
                     const struct element_set *elements)
{
  /* On the heap, because the table is too large for the small stacks of some GA programs. */
  struct basis_parser *parser = memory_allocate(1, sizeof *parser);
  parser->basis = basis;
  parser->source = source;
  parser->elements = elements;
  char file[128];
  name_to_file(source->name, file, sizeof file);
  bool done = parser_run(parser, file);
  if (done && parser->core_library[0]) {
    name_to_file(parser->core_library, file, sizeof file);
    parser->cores_only = true;
    done = parser_run(parser, file);
  }
  free(parser);
  return done;
}

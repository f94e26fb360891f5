/* Writes the head and the end of a page around a report. The head contains the styles and the end
 * contains the script, so that the page needs no other file. */
#include "cw-report.h"

#include "cw-report/page_text.h"

void report_page_begin(const struct report_paper *paper, const char *title)
{
  FILE *const out = paper->out;
  if (!paper->page) {
    fprintf(out, "%s\n", title);
    return;
  }
  fputs("<!DOCTYPE html>\n"
        "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
        "<meta charset=\"utf-8\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
        "<link rel=\"icon\" href=\"data:,\"/>\n<title>",
        out);
  report_escape(out, title);
  fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", report_css);
  report_escape(out, title);
  fputs("</h1>\n<nav><ul>\n", out);
  for (size_t i = 0; i < paper->contents->count; i++) {
    const struct report_fact *section = REPORT_ROWS(*paper->contents, struct report_fact) + i;
    fprintf(out, "<li><a href=\"#%s\">%s</a></li>\n", section->value, section->name);
  }
  fputs("</ul></nav>\n", out);
}

void report_page_end(const struct report_paper *paper)
{
  if (paper->page)
    fprintf(paper->out, "<script>//<![CDATA[\n%s//]]></script>\n</body>\n</html>\n", report_script);
}

# Reads a page of cw-report as XML, and operates it in Chromium.
import json
import math
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as tree

from checks import PATIENCE

X = "{http://www.w3.org/1999/xhtml}"
SHADES = 9


class Page:
    def __init__(self, path, fail):
        self.source = open(path, encoding="utf-8").read()
        self.root = tree.fromstring(self.source)
        self.text = " ".join("".join(self.root.itertext()).split())
        self.scripts = list(self.root.iter(X + "script"))
        self.tables = {}
        section = None
        for each in self.root.iter():
            if each.tag == X + "h2":
                section = self.tables.setdefault(each.get("id"), [])
            elif each.tag == X + "table":
                section.append(each)
            for name, value in each.attrib.items():
                if name in ("src", "href") and value != "data:," and value[0] != "#" or name.startswith("on") or "url(" in value:
                    fail(f"the page asks for something: {name}={value!r}")

    # Targets of the links in the table of contents.
    def contents(self):
        return [link.get("href") for link in self.root.find(f".//{X}nav").iter(X + "a")]

    # Labels of the ticks of an axis, picture by picture: "time-tick", "amount-tick".
    def ticks(self, picture, kind):
        place = self.root.find(f".//{X}div[@id='picture-{picture}']")
        return [[text.text for text in each.iter(X + "text") if text.get("class") == kind]
                for each in place.iter(X + "svg") if each.get("role") == "img"]

    def legend(self, noun, measure):
        return [" ".join("".join(entry.itertext()).split())
                for entry in self.map(noun).find(f".//{X}p[@class='legend {measure}']").iter(X + "span")]

    def heads(self, table):
        return ["".join(head.itertext()) for head in table.iter(X + "th")]

    def column(self, table, title, last=False):
        heads = self.heads(table)
        place = len(heads) - 1 - heads[::-1].index(title) if last else heads.index(title)
        rows = [list(row) for row in table.find(X + "tbody")]
        return [row[place].get("data-v", "".join(row[place].itertext())) for row in rows]

    # Returns the last column with this title, because numbers come after names.
    def total_of(self, table, title):
        place = title != "seconds"
        numbers = self.column(table, title, last=place)
        return sum(int(number) if number.isdigit() else float(number) for number in numbers)

    def total(self, section, title):
        return self.total_of(self.tables[section][0], title)

    def map(self, noun):
        return self.root.find(f".//{X}div[@id='map-{noun}']")

    def has_matrix(self, noun):
        return self.map(noun) is not None

    def matrix(self, noun):
        return json.loads(self.map(noun).find(X + "script").text)

    # Returns the shade of each cell by its paths, or 0 for none.
    def drawn(self, noun, measure, columns=0):
        cells = columns or self.matrix(noun)["cells"]
        shades = [0] * len(self.matrix(noun)["bytes"])
        for path in self.map(noun).find(f".//{X}g[@class='{measure}']"):
            for column, row, width in re.findall(r"M(\d+) (\d+)h(\d+)", path.get("d")):
                for cell in range(int(column), int(column) + int(width)):
                    assert shades[int(row) * cells + cell] == 0
                    shades[int(row) * cells + cell] = int(path.get("class")[1:])
        return shades

    # Returns places, widths and titles of the waits that are drawn. The scale has 640 pixels, from pixel 72 on.
    def waits(self):
        picture = self.root.find(f".//{X}div[@id='picture-waits']")
        return [] if picture is None else [
            ((float(bar.get("x")) - 72) / 640, float(bar.get("width")) / 640, bar.find(X + "title").text)
            for bar in picture.iter(X + "rect")]

    # Returns the lines of memory by name: the height of each, from 0 to 1, at each of n places of the run.
    def courses(self, places):
        picture = self.root.find(f".//{X}div[@id='picture-memory']")
        lines = {}
        for path in picture.iter(X + "path"):
            title = path.find(X + "title")
            if title is None:
                continue
            stair = [(float(x), float(y)) for x, y in re.findall(r"[MH](\d+\.\d)[ V](-?\d+\.\d)", path.get("d"))]
            lines[title.text] = [[1 - (y - 8) / 160 for x, y in stair if x <= 72.2 + 640 * place][-1] for place in places]
        return lines

    # Each shade ends at a round number, and the first begins at 0. Equal values have the middle one.
    @staticmethod
    def shades(values, measure):
        least, most = min((value for value in values if value > 0), default=1), max(values)
        base = 2 if measure == "bytes" else 10
        if most <= 2 * least:
            ends = []
        elif most <= 100 * least:
            width = round_up(max(1, most / SHADES), measure)
            ends = [width * (shade + 1) for shade in range(SHADES)]
        else:
            multiple = base
            while least * multiple ** (SHADES - 1) < most:
                multiple *= base
            first = next(base ** power for power in range(64) if base ** power >= least)
            ends = [first * multiple ** shade for shade in range(SHADES)]
        return [0 if value == 0 else 1 + sum(value > end for end in ends) if ends else 5 for value in values]


# For bytes a power of two, else 1, 2 or 5 times a power of ten.
def round_up(value, measure):
    if measure == "bytes":
        return 2 ** math.ceil(math.log2(value))
    return min(digit * 10 ** power for digit in (1, 2, 5) for power in range(-9, 20) if digit * 10.0 ** power >= value)


# Actions of a reader and their results. A copy of the page performs them on itself.
ACTS = """
const seen = {cells: [], sorted: [], shown: [], chart: [], heat_map_shown: []};
const map = document.getElementById('map-process');
const box = map.querySelector('.field').getBoundingClientRect();
const cells = JSON.parse(map.querySelector('.cells').textContent).cells;
for (let cell = 0; cells * cells > cell; cell++) {
  map.querySelector('svg').dispatchEvent(new MouseEvent('mousemove', {bubbles: true,
    clientX: box.left + (cell % cells + .5) * box.width / cells,
    clientY: box.top + (Math.floor(cell / cells) + .5) * box.height / cells}));
  seen.cells.push(map.querySelector('.cell').textContent);
  if (cell >= 63) break;
}
const shown = () => ['bytes', 'operations'].map(name =>
  getComputedStyle(map.querySelector('g.' + name)).display !== 'none');
seen.shown.push(shown());
document.getElementById('process-operations').click();
seen.shown.push(shown());
const chart = document.getElementById('map-object-0');
if (chart) {
  const there = chart.querySelector('.field').getBoundingClientRect();
  const values = JSON.parse(chart.querySelector('.cells').textContent);
  for (let row = 0; values.rows.length > row; row++)
    for (let column = 0; values.columns.length > column; column++) {
      chart.querySelector('svg').dispatchEvent(new MouseEvent('mousemove', {bubbles: true,
        clientX: there.left + (column + .5) * there.width / values.columns.length,
        clientY: there.top + (row + .5) * there.height / values.rows.length}));
      seen.chart.push(chart.querySelector('.cell').textContent);
    }
  const drawn = () => ['bytes', 'operations'].map(name =>
    getComputedStyle(chart.querySelector('g.' + name)).display !== 'none');
  seen.heat_map_shown.push(...drawn());
  document.getElementById('object-0-operations').click();
  seen.heat_map_shown.push(...drawn());
}
const pairs = Array.from(document.querySelectorAll('table')).find(table => map.compareDocumentPosition(table) === 4);
const head = Array.from(pairs.querySelectorAll('th')).find(each => each.textContent === 'bytes');
for (let click = 0; 2 > click; click++) {
  head.click();
  seen.sorted.push(Array.from(pairs.tBodies[0].rows, row => Number(row.cells[head.cellIndex].dataset.v)));
}
const result = document.createElement('pre');
result.id = 'result';
result.textContent = JSON.stringify(seen);
document.body.append(result);
"""


def seen_in_browser(path, fail):
    chromium = shutil.which("chromium")
    if chromium is None:
        print("skipped: no chromium")
        sys.exit(77)
    source = open(path, encoding="utf-8").read()
    with open("acting.html", "w", encoding="utf-8") as file:
        file.write(source.replace("</body>", f"<script>//<![CDATA[\n{ACTS}//]]></script></body>"))
    done = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0", "--user-data-dir=chromium",
         "--window-size=1200,1000", "--virtual-time-budget=5000", "--dump-dom", "acting.html"],
        capture_output=True, text=True, timeout=PATIENCE)
    for line in done.stderr.split("\n"):
        if "CONSOLE" in line:
            fail(f"the browser's console says: {line}")
    result = re.search(r'<pre id="result">(.*?)</pre>', done.stdout, re.S)
    if result is None:
        fail(f"the browser shows nothing: {done.stderr[-2000:]}")
        sys.exit(1)
    return json.loads(result.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))

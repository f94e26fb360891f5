'use strict';
// A page is complete without this script. It sorts tables, and shows the numbers of a cell of a matrix.

function sortKey(row, column) {
  const cell = row.cells[column];
  const bar = cell.querySelector('i');
  if (bar)
    return parseFloat(bar.style.width);
  const text = cell.dataset.v === undefined ? cell.textContent : cell.dataset.v;
  return text.trim() !== '' && /^-?[0-9.]+(e[-+]?[0-9]+)?( %)?$/.test(text) ? parseFloat(text) : text;
}

function compareKeys(a, b) {
  if (typeof a === 'number' && typeof b === 'number')
    return a - b;
  if (typeof a === typeof b)
    return a.localeCompare(b);
  return typeof a === 'number' ? 1 : -1;
}

function sortTable(head) {
  const body = head.closest('table').tBodies[0];
  const words = head.classList.contains('w');
  const before = head.getAttribute('aria-sort');
  const ascending = before === null ? words : before === 'descending';
  const rows = Array.from(body.rows, row => ({row, key: sortKey(row, head.cellIndex)}));
  rows.sort((a, b) => ascending ? compareKeys(a.key, b.key) : compareKeys(b.key, a.key));
  for (const other of head.parentNode.cells)
    other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
  body.append(...rows.map(each => each.row));
}

for (const head of document.querySelectorAll('th')) {
  head.setAttribute('role', 'columnheader');
  head.tabIndex = 0;
  head.title = 'sort';
  head.addEventListener('click', () => sortTable(head));
  head.addEventListener('keydown', event => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      sortTable(head);
    }
  });
}

function scaled(value, units, step) {
  let unit = 0;
  for (; value >= step && units.length > unit + 1; unit++)
    value /= step;
  return (unit > 0 ? value.toFixed(1) : String(value)) + ' ' + units[unit];
}

const told = {
  bytes: value => scaled(value, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'], 1024),
  operations: value => value + ' operations',
  time: value => scaled(value * 1e9, ['ns', 'us', 'ms', 's'], 1000),
};

function members(cells, cell) {
  const first = cell * cells.each;
  const last = Math.min(first + cells.each, cells.members) - 1;
  return first === last ? String(first) : first + '-' + last;
}

function holders([least, most]) {
  if (least === undefined)
    return '';
  return least === most ? `held by process ${least}` : `held by processes ${least} to ${most}`;
}

// Of processes or nodes, or of an object's rows and columns.
function describe(cells, row, column) {
  const cell = row * (cells.columns ? cells.columns.length : cells.cells) + column;
  const values = Object.keys(told).filter(name => cells[name]).map(name => told[name](cells[name][cell]));
  const place = cells.columns
    ? [cells.rows[row], cells.columns[column], holders(cells.held[cell])].filter(word => word).join(', ')
    : `from ${cells.noun} ${members(cells, row)} to ${members(cells, column)}`;
  return `${place}: ${values.join(', ')}`;
}

for (const map of document.querySelectorAll('.map')) {
  const cells = JSON.parse(map.querySelector('.cells').textContent);
  const rows = cells.rows ? cells.rows.length : cells.cells;
  const columns = cells.columns ? cells.columns.length : cells.cells;
  const field = map.querySelector('.field');
  map.querySelector('svg').addEventListener('mousemove', event => {
    const box = field.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / box.width * columns);
    const row = Math.floor((event.clientY - box.top) / box.height * rows);
    const inside = Math.min(row, column) >= 0 && rows > row && columns > column;
    map.querySelector('.cell').textContent = inside ? describe(cells, row, column) : '';
  });
}

// Shows in the menu where the reader is, also when it opens as a drawer; marks the section that is read; and lets / lead to the search.
'use strict';

const menu = document.getElementById('menu');

// The entries around the current one are in view too. Without this script the group of the page is unfolded, and its entry marked.
function showCurrent() {
  const current = menu.querySelector('a[aria-current="page"]') ?? menu.querySelector('a[aria-current]:not(.houses a)');
  if (!current) return;
  const from = menu.getBoundingClientRect(), entry = current.getBoundingClientRect();
  if (entry.bottom > from.top + menu.clientHeight * 0.8 || entry.top < from.top) {
    menu.scrollTop += entry.top - from.top - menu.clientHeight / 3;
  }
}
showCurrent();
menu.addEventListener('toggle', showCurrent);

const lines = new Map([...document.querySelectorAll('.here a')].map((line) => [line.hash.slice(1), line]));
const headings = [...lines.keys()].map((id) => document.getElementById(decodeURIComponent(id))).filter(Boolean);

function markSection() {
  const read = headings.findLast((heading) => heading.getBoundingClientRect().top < innerHeight / 4) ?? headings[0];
  for (const [id, line] of lines) line.classList.toggle('read', decodeURIComponent(id) === read.id);
}
if (headings.length) {
  markSection();
  addEventListener('scroll', markSection, { passive: true });
}

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select, [contenteditable]')) return;
  event.preventDefault();
  document.getElementById('find').focus();
});

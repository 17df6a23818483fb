'use strict';

// The index of the migration guide: it finds calls while the reader types, as the form does without this script, and leads
// from the anchors of older releases to the pages that they became.

(() => {
  // Links of older releases lead to anchors of this page. Each is an entry with a link to the page about it, in the language of this page.
  const follow = () => {
    const entry = document.getElementById(location.hash.slice(1)); // anchors are plain ASCII
    if (entry?.dataset.page) {
      location.replace(entry.querySelector('a').href);
    }
  };
  addEventListener('hashchange', follow);
  follow();

  const form = document.getElementById('search');
  const input = document.getElementById('search-words');
  const output = document.querySelector('output[for="search-words"]');
  const all = document.getElementById('search-all');
  if (!form || !input || !output || !all) {
    return;
  }

  const rows = [...document.querySelectorAll('tr[data-search]')];
  const steps = [...document.querySelectorAll('section.phase')];

  const ignored = (form.dataset.ignored || '').split(' ');

  const search = () => {
    const asked = input.value.toLowerCase().normalize('NFD').replace(/[\u0300-\u036f]/g, '').split(/\s+/).filter(Boolean);
    // The singular is a part of the plural.
    const words = asked.map((word) => word.replace(/^([a-z]{2,}?)(?:ies|([^s])s)$/, '$1$2')).filter((word) => !ignored.includes(word));
    let found = 0;
    for (const row of rows) {
      row.hidden = !words.every((word) => row.dataset.search.includes(word));
      found += row.hidden ? 0 : 1;
    }
    for (const step of steps) {
      step.hidden = words.length > 0 && step.querySelector('tr[data-search]:not([hidden])') === null;
    }
    output.textContent = words.length === 0 ? ''
      : found === 0 ? 'No call has all of these words.'
      : found === 1 ? '1 call matches.'
      : `${found} calls match.`;
    all.hidden = words.length === 0;
    all.href = `${all.pathname}?q=${encodeURIComponent(input.value.trim())}`;
  };

  // The address keeps the words, so that a search can be sent as a link.
  const remember = () => {
    const address = new URL(location.href);
    if (input.value.trim()) {
      address.searchParams.set('q', input.value.trim());
    } else {
      address.searchParams.delete('q');
    }
    history.replaceState(null, '', address);
  };

  const change = () => {
    search();
    remember();
  };
  input.addEventListener('input', change);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && input.value) {
      event.preventDefault();
      input.value = '';
      change();
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    change();
  });
  search(); // a browser that goes back fills the field in again
})();

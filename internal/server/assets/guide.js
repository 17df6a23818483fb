'use strict';

// The search of the migration guide: it shows the sections about calls, and the rows of the index, that have all the
// words that were typed. What is not about a call steps aside meanwhile. Without this script the guide is whole.

(() => {
  const form = document.getElementById('search');
  const input = document.getElementById('search-words');
  const output = form && form.querySelector('output');
  if (!form || !input || !output) {
    return;
  }

  const normal = (text) => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');

  // What is searched: a section's own words are read once, when the reader begins to type.
  let sections = null;
  const load = () => {
    sections = [...document.querySelectorAll('section.call')].map((section) => ({
      section,
      row: document.querySelector(`tr[data-call="${section.id}"]`),
      text: normal(`${section.dataset.search} ${section.querySelector('h3').textContent}`),
    }));
  };
  const phases = [...document.querySelectorAll('section.phase')];
  const others = [...document.querySelectorAll('main > section:not(.phase):not(#usage)')]
    .filter((section) => !section.querySelector('#index'));

  const show = (element, shown) => {
    if (element) {
      element.hidden = !shown;
    }
  };

  const search = () => {
    if (!sections) {
      load();
    }
    const words = normal(input.value).split(/\s+/).filter(Boolean);
    let found = 0;
    for (const entry of sections) {
      const matches = words.every((word) => entry.text.includes(word));
      show(entry.section, matches);
      show(entry.row, matches);
      found += matches ? 1 : 0;
    }
    for (const phase of phases) {
      show(phase, words.length === 0 || phase.querySelector('section.call:not([hidden])') !== null);
    }
    for (const section of others) {
      show(section, words.length === 0);
    }
    output.textContent = words.length === 0 ? ''
      : found === 0 ? 'No call has all of these words.'
      : found === 1 ? '1 call matches.'
      : `${found} calls match.`;
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

  const clear = () => {
    if (input.value) {
      input.value = '';
      search();
      remember();
    }
  };

  input.addEventListener('input', () => {
    search();
    remember();
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      event.preventDefault();
      clear();
    }
  });
  form.addEventListener('submit', (event) => event.preventDefault());

  // An address or a link may lead to what the search has hidden: then the search steps aside.
  const reveal = (hash) => {
    const target = document.getElementById(hash.slice(1));
    if (target && target.closest('[hidden]')) {
      clear();
      return target;
    }
    return null;
  };
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link) {
      reveal(link.hash);
    }
  });
  addEventListener('hashchange', () => reveal(location.hash)?.scrollIntoView());

  form.hidden = false;
  const asked = new URLSearchParams(location.search).get('q');
  if (asked) {
    input.value = asked;
    search();
    reveal(location.hash)?.scrollIntoView();
  }
})();

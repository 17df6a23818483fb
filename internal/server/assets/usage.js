// Shows on the migration guide what an account still calls on the old interface. The key is typed into the page, sent to
// our own API in a header, and kept nowhere: not in the address, and not in the browser's storage.
'use strict';

(() => {
  const section = document.getElementById('usage');
  if (!section) return;

  // make makes an element with attributes and content, which is text or elements.
  const make = (name, attributes, ...content) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...content);
    return element;
  };

  const input = make('input', { type: 'password', id: 'usage-key', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', required: '' });
  const form = make('form', {},
    make('label', { for: 'usage-key' }, 'Your API key'), ' ', input, ' ', make('button', {}, 'Show what is left'));
  const status = make('p', { role: 'status' });
  const answer = make('div', {});
  section.setAttribute('aria-labelledby', 'usage-title');
  section.replaceChildren(
    make('h2', { id: 'usage-title' }, 'What your account still calls'),
    make('p', {}, 'Each call of the old interface that your programs still make, with the key they use. The key that you ',
      'type stays in this page. A live key shows live calls, a test key those of your tests.'),
    form, status, answer);
  section.hidden = false;

  let latest = 0;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const mine = ++latest;
    clear();
    status.textContent = 'Asking…';
    let shown;
    try {
      shown = await ask(input.value.trim());
    } catch {
      shown = { text: 'The service cannot be reached. Check the connection and try again.' };
    }
    if (mine !== latest) return;
    status.textContent = shown.text;
    if (shown.rows) show(shown.rows);
  });

  // Browsers take the focus away when they go to the address's anchor, which they do until the page is loaded.
  if (new URLSearchParams(location.search).has('usage')) {
    section.scrollIntoView();
    const focus = () => setTimeout(() => input.focus());
    if (document.readyState === 'complete') focus();
    else addEventListener('load', focus);
  }

  // ask reads the account's usage, and says it in a sentence.
  async function ask(key) {
    if (!/^[\x21-\x7e]+$/.test(key)) return { text: 'This is not a key: keys have no spaces and only plain letters.' };
    const response = await fetch('/v1/account/legacy-usage', { headers: { 'X-Api-Key': key }, credentials: 'omit', cache: 'no-store' });
    let body = {};
    try {
      body = await response.json();
    } catch {
      // The body is not an answer of the API: the status decides below.
    }
    if (response.status === 401) return { text: 'The key is not valid. Check that it is complete and neither revoked nor expired. Keys of the old interface alone do not work here.' };
    if (response.status === 429) return { text: `Too many requests. Try again in ${response.headers.get('Retry-After') || 'a few'} seconds.` };
    if (!response.ok || !body.data) {
      const message = body.errors?.[0]?.message;
      return { text: message ? `The service refuses: ${message}` : `The service answers with status ${response.status}. Try again in a moment.` };
    }
    const { results, days, sunset, state, last_used_at: last } = body.data;
    if (results.length === 0) return { text: `Nothing is left: no call in the last ${days} days.${last ? ` The last one was on ${day(last)}. ${meanings[state]}` : ''}` };
    const total = results.reduce((sum, row) => sum + row.count, 0);
    const calls = new Set(results.map((row) => row.call)).size;
    return {
      rows: results,
      text: `${number(total)} ${total === 1 ? 'request' : 'requests'} to ${number(calls)} ${calls === 1 ? 'call' : 'calls'} in the last ${days} days. ` +
        `They are answered until ${day(sunset)}.`,
    };
  }

  function clear() {
    answer.replaceChildren();
    for (const used of document.querySelectorAll('[data-used]')) used.removeAttribute('data-used');
  }

  const columns = ['Call', 'Key', 'Requests', 'First', 'Last', 'State', 'Last drill met', 'Fields that mean less in /v1', 'Follows'];

  // show lists the rows and marks the calls in the index.
  function show(rows) {
    const heading = (text) => make('th', { scope: 'col' }, text);
    const body = make('tbody', {});
    const marked = {};
    for (const row of rows) {
      const call = document.getElementById(row.call);
      if (call) {
        marked[row.call] = (marked[row.call] || 0) + row.count;
        call.setAttribute('data-used', marked[row.call]);
      }
      const line = make('tr', {},
        make('th', { scope: 'row' }, call ? make('a', { href: call.dataset.page }, call.querySelector('a').textContent) : row.call),
        make('td', {}, make('code', {}, row.key_prefix)),
        make('td', {}, number(row.count)),
        make('td', {}, time(row.first_used_at)),
        make('td', {}, time(row.last_used_at)),
        make('td', {}, row.state),
        make('td', {}, row.drilled_at ? time(row.drilled_at) : 'none'),
        make('td', {}, row.lossy_fields.join(', ') || 'none'),
        make('td', {}, row.successor ? make('code', {}, `${row.successor.method} ${row.successor.path}`) : 'none: see the page'));
      [...line.children].forEach((cell, n) => cell.setAttribute('data-label', columns[n]));
      body.append(line);
    }
    answer.append(make('div', { class: 'scroll', role: 'group', 'aria-label': 'Calls still made', tabindex: '0' },
      make('table', {},
        make('thead', {}, make('tr', {}, ...columns.map(heading))),
        body)));
  }

  // meanings say what a state means for an account without recent calls.
  const meanings = {
    done: 'You use /v1: you are done.',
    silent: 'You do not use /v1 either: your programs are silent.',
    active: '',
  };

  function number(n) { return n.toLocaleString('en'); }

  function day(text) { return new Date(text).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }); }

  function time(text) { return make('time', { datetime: text }, day(text)); }
})();

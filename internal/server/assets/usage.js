// Shows what an account still calls on the old interface, a card for each call and key. The key is typed into the page, sent to our own
// API in a header, and kept nowhere: not in the address, and not in the browser's storage.
'use strict';

(() => {
  const section = document.getElementById('usage');
  const form = section.querySelector('form');
  const input = document.getElementById('usage-key');
  const status = section.querySelector('[role=status]');
  const left = document.getElementById('left');
  const titles = document.getElementById('calls').content;

  // make makes an element with attributes and content, which is text or elements.
  const make = (name, attributes, ...content) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...content);
    return element;
  };

  let latest = 0;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const mine = ++latest;
    left.replaceChildren();
    status.textContent = 'Asking…';
    let shown;
    try {
      shown = await ask(input.value.trim());
    } catch {
      shown = { text: 'The service cannot be reached. Check the connection and try again.' };
    }
    if (mine !== latest) return;
    status.textContent = shown.text;
    if (shown.rows) left.append(make('ul', { class: 'cards left' }, ...shown.rows.map(card)));
  });

  // Browsers take the focus away when they go to the address's anchor, which they do until the page is loaded.
  const focus = () => setTimeout(() => input.focus());
  if (document.readyState === 'complete') focus();
  else addEventListener('load', focus);

  // ask reads the account's usage, and says it in a sentence.
  async function ask(key) {
    if (!/^[\x21-\x7e]+$/.test(key)) return { text: 'This is not a key: keys have no spaces and only plain letters.' };
    const response = await fetch('/v1/account/legacy-usage', { headers: { 'X-Api-Key': key, 'Accept-Language': document.documentElement.lang }, credentials: 'omit', cache: 'no-store' });
    let body = {};
    try {
      body = await response.json();
    } catch {
      // The body is not an answer of the API: the status decides below.
    }
    if (response.status === 401) return { text: 'The key is not valid. Check that it is complete and neither revoked nor expired. Keys of the old interface alone do not work here.' };
    if (response.status === 429) return { text: `Too many requests. Try again in ${response.headers.get('Retry-After') || 10} seconds.` };
    if (!response.ok || !body.data) {
      const message = body.errors?.[0]?.message;
      return { text: message ? `The service refuses: ${message}` : `The service answers with status ${response.status}. Try again in a moment.` };
    }
    const { results, days, sunset, state, last_used_at: last } = body.data;
    if (results.length === 0) {
      const before = last ? [`The last one was on ${day(last)}.`, meanings[state]] : [];
      return { text: [`Nothing is left: no call in the last ${days} days.`, ...before].join(' ').trim() };
    }
    const total = results.reduce((sum, row) => sum + row.count, 0);
    const calls = new Set(results.map((row) => row.call)).size;
    const allRequests = total === 1 ? '1 request' : `${number(total)} requests`;
    const toCalls = calls === 1 ? 'to 1 call' : `to ${number(calls)} calls`;
    return {
      rows: results,
      text: `${allRequests} ${toCalls} in the last ${days} days. They are answered until ${day(sunset)}.`,
    };
  }

  const colours = { active: 'wait', done: 'good', silent: '' };

  // card is one call with one key.
  function card(row) {
    const call = titles.getElementById(`call-${row.call}`);
    const title = call ? make('a', { href: call.getAttribute('href') }, call.textContent) : row.call;
    const facts = make('dl', {});
    const fact = (name, ...value) => facts.append(make('dt', {}, name), make('dd', {}, ...value));
    fact('Key', make('code', {}, row.key_prefix));
    fact('Requests', number(row.count));
    fact('First', time(row.first_used_at));
    fact('Last', time(row.last_used_at));
    fact('Drill met', row.drilled_at ? time(row.drilled_at) : 'no drill');
    fact('Follows', row.successor ? make('code', {}, `${row.successor.method} ${row.successor.path}`) : 'no single request: see the page');
    if (row.lossy_fields.length > 0) {
      fact('Fields that mean less in /v1', ...row.lossy_fields.flatMap((name, n) => [n > 0 ? ', ' : '', make('code', {}, name)]));
    }
    return make('li', {}, make('h2', {}, title, ' ', make('span', { class: `state ${colours[row.state] || ''}` }, row.state)), facts);
  }

  // meanings say what a state means for an account without recent calls.
  const meanings = {
    done: 'You use /v1: you are done.',
    silent: 'You do not use /v1 either: your programs are silent.',
    active: '',
  };

  const language = document.documentElement.lang;

  function number(n) { return n.toLocaleString(language); }

  function day(text) { return new Date(text).toLocaleDateString(language === 'en' ? 'en-GB' : language, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }); }

  function time(text) { return make('time', { datetime: text }, day(text)); }
})();

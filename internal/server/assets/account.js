// The page of a seller's account, /account. This file has the key, the requests to /v1, and what the parts of the page share; the
// other files add the parts. The key is in a variable of this file and in a header of requests to our own API, and nowhere else.
// Everything that comes from the service is shown as text.
'use strict';

const account = (() => {
  const idleLimit = 15 * 60 * 1000; // milliseconds until the key is forgotten
  const form = document.getElementById('account-form');
  const input = document.getElementById('account-key');
  const bar = document.getElementById('account-bar');
  const said = document.getElementById('account-said');
  const parts = [];

  let key = '';
  let open = null; // an AbortController while there is a key
  let resting = 0; // the timer that forgets the key
  let deadline = 0; // when it does; a computer that slept is late
  let owner = null; // the answer of /v1/account; null if the key may not read it
  let fresh = false; // it was just read
  let ahead = 0; // milliseconds that the service's clock is ahead of the browser's

  // make makes an element with attributes, if there are some, and content, which is text or elements. Empty content is left out.
  function make(name, ...content) {
    const attributes = content[0]?.constructor === Object ? content.shift() : {};
    const element = document.createElement(name);
    for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
    element.append(...content.filter((part) => part !== null && part !== undefined && part !== ''));
    return element;
  }

  function button(text, act, quiet = true) {
    const made = make('button', { type: 'button' }, text);
    if (quiet) made.className = 'quiet';
    made.addEventListener('click', () => act(made));
    return made;
  }

  // choice is a list to choose from: pairs of a value and its text.
  function choice(label, pairs, chosen) {
    const select = make('select', ...pairs.map(([value, text]) => make('option', { value }, text)));
    select.value = chosen;
    return { label: make('label', label, ' ', select), select };
  }

  // The page's language. English pages write days as in Britain.
  const language = document.documentElement.lang;
  const locale = language === 'en' ? 'en-GB' : language;

  function time(text) {
    return make('time', { datetime: text, title: text }, new Date(text).toLocaleString(locale,
      { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' }));
  }

  function day(text) {
    return new Date(text).toLocaleDateString(locale, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
  }

  function number(n) { return n.toLocaleString(locale); }

  function eventsSaid(n) { return n === 1 ? '1 event' : `${number(n)} events`; }

  // sentence is a text with other texts, or elements, in the place of its {}. internal/languages translates a text as a whole.
  function sentence(text, ...parts) { return text.split('{}').flatMap((words, n) => (n === 0 ? [words] : [parts[n - 1], words])); }

  // pagePath is where a page of the site is in the language of this one.
  function pagePath(path) { return language === 'en' ? path : `/${language}${path}`; }

  function small(...content) { return make('p', { class: 'facts' }, ...content); }

  const happened = {
    'item.published': 'An item was published', 'item.rejected': 'An item was rejected', 'item.updated': 'An item was changed',
    'item.moved': 'An item got another category', 'item.first_bid': 'An auction got its first bid', 'item.sold': 'An item was sold',
    'item.unsold': 'An item ended without a buyer', 'item.closed': 'An item was taken off sale',
      'item.restarted': 'An item is on sale again',
    'sale.cancelled': 'A sale was cancelled', 'payment.received': 'A bill was paid',
  };

  // event is the type of an event in words.
  function event(type) { return Object.hasOwn(happened, type) ? happened[type] : type; }

  // code is a block of code, or of what a server wrote, with a word about it and a button that copies it. It is written as the service
  // writes its own (internal/site/code.go): each line by itself, with how far it is indented.
  function code(word, text) {
    const lines = text.split(/(?<=\n)/).map((line) => {
      const indent = Math.min(line.search(/[^ ]|$/), 12);
      return make('span', { class: indent > 1 ? `line in${indent - (indent % 2)}` : 'line' }, line);
    });
    return make('figure', { class: 'code named' }, make('figcaption', word),
      make('pre', { 'data-copy': '', tabindex: '0' }, make('code', ...lines)));
  }

  // facts is a list of pairs of a name and what belongs to it.
  function facts(...pairs) {
    return make('dl', { class: 'pairs' }, ...pairs.filter(Boolean).map(([name, ...value]) =>
      make('div', make('dt', name), make('dd', ...value))));
  }

  // ago is an instant of the service's clock, in the form of the API.
  function ago(seconds) { return new Date(Date.now() + ahead - seconds * 1000).toISOString().replace(/\.\d+/, ''); }

  // may says whether the key has a permission. The permission to write includes that to read.
  function may(permission) {
    const has = owner?.key.permissions;
    return !has || has.includes(permission) || has.includes(permission.replace(':read', ':write'));
  }

  // Refused is an answer that is an error. Without a status there was no answer.
  class Refused extends Error {
    constructor(answer = {}) {
      super('refused');
      Object.assign(this, { status: 0, errors: [], id: '', wait: 0 }, answer);
    }
  }

  // call asks /v1 and returns the data of the answer. calls notes the request down, without the key.
  async function call(calls, method, path, body) {
    touch();
    const mine = open;
    if (!mine) throw new Refused();
    const headers = { 'X-Api-Key': key, 'Accept-Language': document.documentElement.lang };
    if (body) headers['Content-Type'] = 'application/json';
    calls.add(curl(method, path, body));
    let response;
    let answer = {};
    try {
      response = await fetch(path, {
        method, headers, body: body && JSON.stringify(body), credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer',
          redirect: 'error', signal: mine.signal,
      });
      answer = await response.json();
    } catch {
      if (!response) throw new Refused();
      // The body is not an answer of the API: the status decides below.
    }
    if (mine.signal.aborted) throw new Refused();
    limits(response.headers);
    if (response.ok && answer.data) return answer.data;
    throw new Refused({
      status: response.status, errors: answer.errors || [], id: response.headers.get('X-Request-Id') || '',
        wait: Number(response.headers.get('Retry-After')) || 0,
    });
  }

  function curl(method, path, body) {
    const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
    const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quote(location.origin + path)}`, '-H "X-Api-Key: $KEY"'];
    if (body) lines.push("-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body))}`);
    return lines.join(' \\\n  ');
  }

  // limits keeps what every answer tells: the requests that are left, and the service's time.
  function limits(headers) {
    const number = (name) => Number(headers.get(name));
    if (!number('X-RateLimit-Limit')) return;
    ahead = (number('X-RateLimit-Reset') - number('X-RateLimit-Reset-After')) * 1000 - Date.now();
    dispatchEvent(new CustomEvent('account-requests', { detail: { left: number('X-RateLimit-Remaining'),
      limit: number('X-RateLimit-Limit') } }));
  }

  // problem says in words why a request failed. retry is called when the reader wants to try again.
  function problem(refused, retry) {
    if (!(refused instanceof Refused)) throw refused;
    const box = make('div', { class: 'warn problem' });
    const first = refused.errors[0];
    const again = retry && button('Try again', retry);
    if (refused.status === 0) {
      box.append(make('p', 'The service cannot be reached. Check the connection and try again.'));
    } else if (refused.status === 401) {
      box.append(make('p',
      'The key is not valid. Check that it is complete and neither revoked nor expired. Keys of the old interface alone do not work here.'));
    } else if (refused.status === 429) {
      box.append(make('p', 'These were too many requests.'), countdown(refused.wait, again));
    } else if (first?.code === 'permission_denied') {
      const lacks = refused.errors.map((e) => e.details?.permission).filter(Boolean);
      box.append(lacks.length ? make('p', ...sentence('This key may not do that. It lacks {}.', make('code', lacks.join(', '))))
        : make('p', first.message));
    } else if (first?.code === 'account_suspended') {
      box.append(make('p', 'The account is suspended. Contact the marketplace.'));
    } else if (first) {
      box.append(...refused.errors.map((e) => make('p', e.field ? make('code', e.field) : '', e.field ? ': ' : '', e.message)));
    } else {
      box.append(make('p', `The service answered with the status ${refused.status}. Try again in a moment.`));
    }
    if (first) box.append(small(codeLink(first.code), refused.id ? ' · ' : '', refused.id ? `request ${refused.id}` : ''));
    if (again) box.append(again);
    return box;
  }

  function codeLink(code) { return make('a', { href: pagePath(`/errors/${encodeURIComponent(code)}`) }, code); }

  // countdown says when the next request is possible, and lets the reader try again then.
  function countdown(seconds, again) {
    const left = make('p', { 'aria-live': 'off' });
    const step = () => {
      left.textContent = seconds > 0 ? `You can try again in ${seconds} s.` : 'You can try again now.';
      if (again) again.disabled = seconds > 0;
      if (seconds-- > 0) setTimeout(step, 1000);
    };
    step();
    return left;
  }

  // act does what a button stands for, and shows in a place how it went. The button waits meanwhile.
  async function act(pressed, place, work) {
    const mine = open;
    pressed.disabled = true;
    place.setAttribute('aria-live', 'polite');
    place.replaceChildren('Working…');
    try {
      const shown = await work();
      if (mine === open) place.replaceChildren(...[shown].flat());
      addCopyButtons(place); // of copy.js
    } catch (refused) {
      if (mine === open) place.replaceChildren(problem(refused));
    } finally {
      pressed.disabled = false;
    }
  }

  // whoami is the account as it was read when the key was pasted, once.
  function whoami(ask) {
    if (!fresh) return null;
    fresh = false;
    ask.note('/v1/account');
    return owner;
  }

  // needing is a button that needs a permission. Without it the button is dead, and the permission stands beside it.
  function needing(permission, text, press, quiet) {
    const made = button(text, press, quiet);
    if (may(permission)) return made;
    made.disabled = true;
    return make('span', { class: 'needs' }, made, make('small', ...sentence('needs {}', make('code', permission))));
  }

  // sure asks once more before a button does what it says. place is where it asks.
  function sure(place, question, yes, work) {
    const no = button('No', () => place.replaceChildren());
    place.replaceChildren(make('p', question), button(yes, work, false), no);
    no.focus();
  }

  // part adds a part of the page, the section with an id. needs are the permissions to read it, show makes its content with a function that
  // calls the API, and notes requests down that were made before. A part that is not shown at once has a button.
  function part(id, { needs, atOnce, title, show }) {
    const section = document.getElementById(id);
    const state = make('div', { class: 'state', 'aria-live': 'polite' });
    const content = make('div', { class: 'content' });
    const commands = make('div');
    const shown = make('details', { class: 'facts' }, make('summary', 'Show as curl'),
      small(...sentence('Set {} to your key first.', make('code', 'KEY'))), commands);
    const calls = new Set();
    const list = () => {
      commands.replaceChildren(...[...calls].map((line) => code('curl', line)));
      addCopyButtons(commands);
    };
    shown.addEventListener('toggle', () => shown.open && list());
    const read = make('button', { type: 'button', class: 'quiet' });
    const foot = make('div', { class: 'foot noprint' }, read, shown);
    let latest = 0;
    const ask = (method, path, body) => call(calls, method, path, body).finally(() => {
      shown.hidden = calls.size === 0;
      if (shown.open) list();
    });
    ask.note = (path) => calls.add(curl('GET', path));
    async function run() {
      const mine = ++latest;
      const session = open;
      calls.clear();
      shown.hidden = true;
      section.setAttribute('aria-busy', 'true');
      state.replaceChildren('Loading…');
      read.disabled = true;
      let made;
      let refused;
      try {
        made = await show(ask, run);
      } catch (error) {
        refused = error;
      }
      if (mine !== latest || session !== open) return;
      section.removeAttribute('aria-busy');
      read.textContent = 'Refresh';
      read.disabled = false;
      state.replaceChildren(refused ? problem(refused, run) : '');
      if (made) content.replaceChildren(...[made].flat());
      addCopyButtons(content);
    }
    read.addEventListener('click', run);
    parts.push({
      start() {
        section.append(state, content, foot);
        shown.hidden = true;
        shown.open = false;
        const lacks = needs.filter((permission) => !may(permission));
        read.disabled = lacks.length > 0;
        read.textContent = title;
        if (read.disabled) {
          state.replaceChildren(small(...sentence('This key may not read this. It lacks {}.', make('code', lacks.join(', ')))));
        } else if (atOnce) run();
      },
      end() {
        latest++;
        calls.clear();
        section.removeAttribute('aria-busy');
        for (const element of [state, content, commands]) element.replaceChildren();
        for (const element of [state, content, foot]) element.remove();
      },
    });
  }

  // connect takes a key and shows the account that it belongs to.
  async function connect(text) {
    forget();
    if (!/^[\x21-\x7e]+$/.test(text)) {
      said.replaceChildren(make('p', { class: 'warn' }, 'This is not a key: keys have no spaces and only plain letters.'));
      return;
    }
    const mine = new AbortController();
    [key, open] = [text, mine];
    said.replaceChildren('Asking…');
    try {
      owner = await call(new Set(), 'GET', '/v1/account');
      fresh = true;
    } catch (refused) {
      if (mine !== open) return;
      if (refused.errors?.[0]?.code !== 'permission_denied') {
        forget();
        said.replaceChildren(problem(refused));
        input.focus();
        return;
      }
    }
    if (mine !== open) return;
    said.replaceChildren();
    showBar();
    for (const each of parts) each.start();
    document.getElementById('you-title').focus();
  }

  // showBar puts the key's mode, in words and in colour, where it is always in sight.
  function showBar() {
    const live = (owner ? owner.mode : key.startsWith('dk_live_') ? 'live' : 'test') === 'live';
    bar.className = live ? 'live' : 'test';
    bar.replaceChildren(
      make('p', make('strong', live ? 'Live: changes are real' : 'Test: nothing here is for sale'), owner ? ` · ${owner.nickname}` : ''),
      button('Forget the key', () => forget('The key is forgotten.')));
    bar.hidden = false;
    form.hidden = true;
  }

  // forget forgets the key, and says so if the reader does not give another one.
  function forget(words) {
    clearTimeout(resting);
    open?.abort();
    [key, open, owner, fresh, ahead, deadline] = ['', null, null, false, 0, 0];
    input.value = '';
    for (const each of parts) each.end();
    said.replaceChildren();
    bar.replaceChildren();
    bar.hidden = true;
    form.hidden = false;
    if (!words) return;
    said.replaceChildren(words);
    input.focus();
  }

  // touch puts off the moment when the key is forgotten.
  function touch() {
    clearTimeout(resting);
    if (!open) return;
    if (deadline && Date.now() > deadline) {
      expire();
      return;
    }
    deadline = Date.now() + idleLimit;
    resting = setTimeout(expire, idleLimit);
  }

  function expire() {
    forget('The key was forgotten, because nothing happened for 15 minutes. Paste it again to go on.');
  }

  for (const used of ['pointerdown', 'keydown']) addEventListener(used, touch);
  addEventListener('pagehide', () => forget()); // a browser that keeps the page for its button Back keeps it without the key
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    connect(input.value.trim());
  });
  form.querySelector('button').disabled = false;

  return { make, button, choice, time, day, number, eventsSaid, sentence, pagePath, small, event, code, facts, ago, may, codeLink, act,
    needing, sure, part, connect, forget, whoami };
})();

// The parts of /account about who one is: the account with its limits, and its keys.
'use strict';

(() => {
  const { make, button, choice, time, number, sentence, small, code, facts, act, needing, sure, part, connect, forget } = account;
  const soon = 14 * 86400 * 1000; // milliseconds before its end in which a key should be replaced

  function when(at) { return at ? time(at) : 'never'; }

  function permissions(names) { return names ? make('code', names.join(', ')) : 'everything'; }

  // bar shows how much of a limit is used, in a picture and in words.
  function bar(name, used, limit, words, id) {
    if (!limit) return make('li', make('span', name), make('span', 'no limit'));
    const meter = make('meter', { min: 0, max: limit, high: limit * 0.8, optimum: 0, value: used, 'aria-label': name });
    const row = make('li', make('span', name), meter, make('span', words));
    if (id) row.id = id;
    return row;
  }

  function requests({ left, limit }) { return bar('Requests a minute', limit - left, limit, `${left} of ${limit} left`,
    'requests-left'); }

  addEventListener('account-requests', ({ detail }) => document.getElementById('requests-left')?.replaceWith(requests(detail)));

  const states = { active: 'Active', suspended: 'Suspended' };

  function used({ used: n, limit }) { return `${number(n)} of ${number(limit)} used`; }

  part('you', {
    needs: ['account:read'], atOnce: true, title: 'Show the account',
    show: async (ask) => {
      const who = account.whoami(ask) || await ask('GET', '/v1/account');
      const of = await ask('GET', '/v1/account/limits');
      const { key } = who;
      const ends = key.expires_at && new Date(key.expires_at) - Date.now() < soon;
      return [
        facts(['Account', `${who.nickname} · ${who.type} · ${who.country}`], ['Store', `${who.store.name} · ${who.store.plan}`],
          ['Status', states[who.status] || who.status], ['Key', key.name || 'without a name', ' ', make('code', key.prefix)],
            ['It may do', permissions(key.permissions)],
          ['It ends', when(key.expires_at), ...(ends ? [' – ', make('a', { href: '#keys' }, 'replace it soon')] : [])]),
        make('ul', { class: 'limits' },
          of.requests.limit ? requests({ left: of.requests.remaining, limit: of.requests.limit }) : bar('Requests a minute', 0, 0),
          bar('Items on sale or waiting', of.open_items.used, of.open_items.limit, used(of.open_items)),
          bar('New items today (UTC)', of.new_items_per_day.used, of.new_items_per_day.limit, used(of.new_items_per_day)),
          bar('Webhooks', of.webhooks.used, of.webhooks.limit, used(of.webhooks))),
        small(`Account ${who.id}`),
      ];
    },
  });

  const columns = ['Name', 'Begins with', 'Made', 'Last used', 'Ends', 'May do'];

  function row(key) {
    const cells = [[key.name || 'without a name', ...(key.current ? [' · ', 'this one'] : [])], [make('code', key.prefix)],
      [time(key.created_at)], [when(key.last_used_at)], [when(key.expires_at), ...(key.successor_id ? [' · ', 'replaced'] : [])], [permissions(key.permissions)]];
    return make('tr', ...cells.map((content, n) => make('td', { 'data-label': columns[n] }, ...content)));
  }

  // rotate replaces the key. The new one is shown once, in the place, which loses it with everything else when the key is forgotten.
  function rotate(ask, place, run) {
    const { label, select } = choice('The old key stays valid for', [[3600, 'an hour'], [86400, 'a day'], [604800, 'a week']], '86400');
    const work = async () => {
      const made = await ask('POST', '/v1/account/keys/current/rotate', { overlap_seconds: Number(select.value) });
      return [make('p', { class: 'warn' }, make('strong', 'This is the new key. Store it now: it is shown only here, and only once.')),
        code('Key', made.key),
        make('p', ...sentence('The old key is valid until {}. Use the new one once soon: until then, the old key can replace it again.',
          time(made.predecessor_expires_at))),
        button('Go on with the new key', () => connect(made.key)), button('List the keys again', run)];
    };
    place.replaceChildren(label, button('Replace the key', () => {
      const question = make('div');
      place.append(question);
      sure(question, 'A new key is made now. Your programs need it before the old one ends. Replace the key?', 'Yes, replace it',
        (pressed) => act(pressed, place, work));
    }, false));
    select.focus();
  }

  // revoke ends the key that was pasted, and no other: a key acts on itself alone.
  function revoke(ask, place) {
    const work = async () => {
      await ask('DELETE', '/v1/account/keys/current');
      forget('The key has ended, and is forgotten.');
      return [];
    };
    sure(place, 'The key ends now, for good: programs that still need it are refused. Replace it for them instead. End this key?',
      'Yes, end it', (pressed) => act(pressed, place, work));
  }

  part('keys', {
    needs: ['account:read'], title: 'Show keys',
    show: async (ask, run) => {
      const body = make('tbody');
      const said = make('div', { class: 'said' });
      const more = make('div');
      const next = async (after) => {
        const page = await ask('GET', `/v1/account/keys${after ? `?after=${encodeURIComponent(after)}` : ''}`);
        body.append(...page.results.map(row));
        return page.next_cursor ? button('More keys', (pressed) => act(pressed, more, () => next(page.next_cursor))) : '';
      };
      more.append(await next());
      return [make('div', { class: 'scroll', role: 'group', 'aria-label': 'Keys', tabindex: '0' },
        make('table', make('thead', make('tr', ...columns.map((text) => make('th', { scope: 'col' }, text)))), body)), more,
      needing('account:write', 'Replace this key…', () => rotate(ask, said, run)),
      needing('account:write', 'End this key…', () => revoke(ask, said)), said];
    },
  });
})();

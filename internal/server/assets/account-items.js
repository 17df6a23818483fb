// The parts of /account about what happened: items that were rejected, and the feed of events.
'use strict';

(() => {
  const { make, button, choice, time, number, eventsSaid, sentence, small, event, code, facts, ago, may, codeLink, act, part } = account;
  const pageSize = 100; // events of one request
  const mostPages = 5; // that are read before the reader is asked
  const shownAtOnce = 20;

  const spans = [[900, 'the last 15 minutes'], [3600, 'the last hour'], [86400, 'the last day'], [604800, 'the last 7 days'],
    [2591000, 'the last 30 days']];

  // readable are the events that the key may read, as the feed wants to hear it: nothing if it may read all.
  function readable() {
    const of = {
      'items:read': ['item.published', 'item.rejected', 'item.updated', 'item.moved', 'item.first_bid', 'item.unsold', 'item.closed',
        'item.restarted'],
      'sales:read': ['sale.cancelled'],
      'bills:read': ['payment.received'],
    };
    const allowed = Object.keys(of).filter(may);
    if (allowed.length === 3) return [];
    const types = allowed.flatMap((permission) => of[permission]);
    if (may('items:read') && may('sales:read')) types.push('item.sold');
    return types;
  }

  // feed shows the events of a time that the reader chooses, the newest first. The service lists the oldest first, so all are read.
  function feed(ask, types, seconds, pagesAtOnce, one, counted) {
    const list = make('ul', { class: 'cases' });
    const said = make('div');
    const { label, select } = choice('Of', spans, String(seconds));
    const found = [];
    let from = '';
    let after = null;
    const read = async (pages) => {
      for (let more = true; more && pages > 0; pages--) {
        const query = new URLSearchParams({ created_from: from, limit: pageSize });
        for (const type of types) query.append('type', type);
        if (after) query.set('after', after);
        const page = await ask('GET', `/v1/events?${query}`);
        found.push(...page.results);
        more = page.has_more;
        after = more ? page.next_cursor : null;
      }
      show(shownAtOnce);
    };
    const show = (n) => {
      list.replaceChildren(...found.slice(-n).reverse().map(one));
      const shown = Math.min(n, found.length);
      const events = counted(found.length);
      said.replaceChildren(make('p', found.length === 0 ? 'None in this time.'
        : shown < found.length ? `${events}, the newest ${shown} are shown.` : `${events}.`));
      if (after) {
        said.append(make('p', { class: 'note' }, 'There are newer ones. Choose a shorter time, or read on.'),
          button('Read on', (pressed) => act(pressed, said, again(mostPages))));
      }
      if (shown < found.length) said.append(button('Show more', () => show(n + 5 * shownAtOnce)));
    };
    const again = (pages) => async () => {
      await read(pages);
      return [...said.childNodes];
    };
    const begin = (pages) => {
      from = ago(Number(select.value));
      after = null;
      found.length = 0;
      list.replaceChildren();
      return read(pages);
    };
    select.addEventListener('change', () => act(select, said, async () => {
      await begin(mostPages);
      return [...said.childNodes];
    }));
    return begin(pagesAtOnce).then(() => make('div', label, said, list));
  }

  function itemsSaid(n) { return n === 1 ? '1 item' : `${number(n)} items`; }

  // place is where the mistake is, for a seller.
  function place(field) {
    const picture = /^images\[(\d+)\]/.exec(field);
    if (!picture) return make('code', field);
    const n = number(Number(picture[1]) + 1);
    return `Picture ${n}`;
  }

  // errors lists what is wrong with an item, field by field.
  function errors(all) {
    return make('ul', ...all.map((e) => make('li', e.field ? place(e.field) : '', e.field ? ': ' : '', e.message, ' (',
      codeLink(e.code), ')')));
  }

  const mostReasons = 20; // that are asked for in the language of the page

  // translated asks for rejections. Events are in English: on other pages the submission has the reasons, and each is asked for once.
  function translated(ask) {
    const said = new Map();
    return async (method, path) => {
      const page = await ask(method, path);
      for (const { data: { submission } } of document.documentElement.lang === 'en' ? [] : page.results) {
        const all = submission.errors;
        if (said.size < mostReasons && all.some((e) => !said.has(e.message))) {
          const own = await ask('GET', `/v1/item-submissions/${submission.id}`).catch(() => submission); // it may be gone
          all.forEach((e, i) => said.set(e.message, own.errors[i]?.message));
        }
        for (const e of all) e.message = said.get(e.message) || e.message;
      }
      return page;
    };
  }

  function named(submission) {
    return submission.personal_reference ? `Your reference ${submission.personal_reference}` : 'An item without a reference of yours';
  }

  function rejected(e) {
    const submission = e.data.submission;
    const where = submission.index === null ? '' : `number ${submission.index + 1} of the batch ${submission.batch_id}`;
    return make('li', make('p', ...sentence('{} was rejected on {}.', make('strong', named(submission)), time(e.created_at))),
      errors(submission.errors),
      small(submission.id, where && ' · ', where));
  }

  // untilWhen says why an item waits, and how long.
  function untilWhen(s) {
    return sentence(' An item is published once the service has fetched its pictures. It is published or rejected by {}. {}',
      time(s.publish_deadline), make('a', { href: '/docs/images#when-they-are-fetched' }, 'About pictures'));
  }

  // outcome says what became of a submission.
  function outcome(s) {
    const who = make('strong', named(s));
    const words = {
      pending: () => [...sentence('{} has been waiting for its turn since {}.', who, time(s.created_at)), ...untilWhen(s)],
      processing: () => [...sentence('{} has been waiting for its pictures since {}.', who, time(s.created_at)), ...untilWhen(s)],
      published: () => sentence('{} is published as the item {}.', who, s.item_id),
      rejected: () => sentence('{} was rejected on {}.', who, time(s.completed_at)),
    };
    const said = words[s.status] || (() => sentence('{} has the status {}.', who, s.status));
    return [make('p', ...said()), s.errors.length ? errors(s.errors) : ''];
  }

  // lookup asks for one submission. The service has no list of those that wait.
  function lookup(ask) {
    const input = make('input', { id: 'submission', placeholder: 'sub_…', autocomplete: 'off', spellcheck: 'false',
      autocapitalize: 'off', required: '', pattern: '\\s*sub_[0-9a-z]+\\s*' });
    const submit = make('button', { class: 'quiet' }, 'Look it up');
    const said = make('div');
    const form = make('form', make('label', { for: 'submission' }, 'An item that still waits: the number that your program got for it'),
      make('div', { class: 'together' }, input, submit), said);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      act(submit, said, async () => outcome(await ask('GET', `/v1/item-submissions/${encodeURIComponent(input.value.trim())}`)));
    });
    return form;
  }

  // The feed wants to know that webhooks may be read, and the event that items may be.
  part('rejected', {
    atOnce: true, title: 'Show rejected items', needs: ['webhooks:read', 'items:read'],
    show: async (ask) => [await feed(translated(ask), ['item.rejected'], 604800, 1, rejected, itemsSaid), lookup(ask)],
  });

  const causes = { v1: 'a request', rest: 'a call of the old interface', operator: 'the operator', marketplace: 'the marketplace',
    system: 'the service itself' };

  function cause(by) {
    if (!by) return 'not known';
    const what = causes[by.via] || by.via;
    return by.key_prefix ? `${what}, with the key ${by.key_prefix}` : what;
  }

  function happened(e) {
    const body = make('div');
    const folded = make('details', make('summary', make('strong', event(e.type)), ' · ', time(e.created_at)),
      facts(['About', `${e.resource.type} ${e.resource.id}`], ['Caused by', cause(e.cause)], ['Type', make('code', e.type)],
        ['Event', make('code', e.id)],
        e.cause?.request_id && ['Request', make('code', e.cause.request_id)]), body);
    folded.addEventListener('toggle', () => {
      body.replaceChildren(code('Event', JSON.stringify(e, null, 2)));
      addCopyButtons(body); // of copy.js
    }, { once: true });
    return make('li', folded);
  }

  part('events', {
    title: 'Show events', needs: ['webhooks:read'],
    show: (ask) => feed(ask, readable(), 86400, mostPages, happened, eventsSaid),
  });
})();

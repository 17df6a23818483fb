// The part of /account about webhooks: their state, their last failure, the attempts, and how to send events again.
'use strict';

(() => {
  const { make, button, choice, time, number, eventsSaid, sentence, small, event, code, facts, ago, act, needing, part } = account;
  const attemptsAtOnce = 10;
  const lastFailures = 20; // that are read to show each webhook's last one
  const patience = 20; // how many times the outcome of an attempt is asked for, a second apart

  const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

  const reasons = {
    dns: 'The name of your server could not be found.',
    connect: 'Your server did not accept the connection, or broke it off.',
    tls: 'There was no secure connection: the certificate has expired, or is for another name.',
    timeout: 'Your server took too long to answer.',
    blocked_target: 'The name of your server leads to a private address, where nothing is sent.',
    response_too_large: 'Your server answered with more than 64 KiB.',
    interrupted: 'The service was stopped during the attempt. Your server may have got the event.',
  };

  // outcome says in words how an attempt ended.
  function outcome(d) {
    const code = d.error?.code;
    if (d.status === 'scheduled') return 'It waits to be sent.';
    if (d.status === 'sending') return 'It is being sent.';
    if (d.status === 'cancelled') return 'It was cancelled.';
    if (d.status === 'succeeded') return `Your server accepted it: it answered ${d.response?.status}.`;
    if (code === 'redirect') return `Your server answered ${d.response?.status}. Redirects are not followed: correct the address.`;
    if (code === 'http_status') return `Your server answered ${d.response?.status}, which is not a success.`;
    return reasons[code] || `It failed (${code || d.status}).`;
  }

  // answered is what the server wrote, up to 4 KiB.
  function answered(d) {
    if (!d.response) return [];
    if (!d.response.body) return [small('The answer has no text, is older than 7 days, or this key may not read it.')];
    return [make('p', 'It wrote:'), code('Answer', d.response.body),
      d.response.truncated ? small('Only the beginning of the answer is kept.') : ''];
  }

  const triggers = { manual: 'sent again by hand', test: 'a test', recovery: 'sent again after an outage' };

  function took(d) { return d.duration_ms === null ? '' : ` · ${number(d.duration_ms)} ms`; }

  // sendAgain is a button that sends an event again, and says how that went.
  function sendAgain(ask, d) {
    const said = make('div', { class: 'said' });
    return [needing('webhooks:write', 'Send again', (pressed) => act(pressed, said, async () =>
      result(await settled(ask, await ask('POST', `/v1/webhook-deliveries/${d.id}/redeliver`)))), false), said];
  }

  // settled waits until an attempt has ended.
  async function settled(ask, d) {
    for (let n = 0; n < patience && ['scheduled', 'sending'].includes(d.status); n++) {
      await pause(n === 0 ? 300 : 1000);
      d = await ask('GET', `/v1/webhook-deliveries/${d.id}`);
    }
    return d;
  }

  function result(d) {
    return [make('p', { class: d.status === 'succeeded' ? 'note' : 'warn' }, make('strong', outcome(d)), took(d)),
      ...(d.status === 'succeeded' ? [] : answered(d))];
  }

  const words = { scheduled: 'waits', sending: 'is being sent', succeeded: 'accepted', failed: 'not accepted', cancelled: 'was cancelled' };

  function attempt(ask, d) {
    const sent = d.request_body === null ? small('The event is not kept any more, or this key may not read it.')
      : code('Event', d.request_body);
    return make('li', make('details', {},
      make('summary', make('span', { class: `badge ${d.status}` }, words[d.status] || d.status), ' ', event(d.event_type), ' · ',
        time(d.started_at || d.scheduled_at), took(d)),
      make('p', outcome(d)), ...answered(d),
      facts(['Attempt', [d.attempt, triggers[d.trigger]].filter(Boolean).join(', ')], ['About', d.resource_id],
        ['Type', make('code', d.event_type)],
        ['Delivery', make('code', d.id)], ['Event', make('code', d.event_id)]),
      make('details', make('summary', 'The event as it was sent'), sent), ...sendAgain(ask, d)));
  }

  // attempts lists the attempts of a webhook in a place, page by page.
  async function attempts(ask, hook, list, said, after) {
    const query = new URLSearchParams({ webhook_id: hook.id, limit: attemptsAtOnce });
    if (after) query.set('after', after);
    const page = await ask('GET', `/v1/webhook-deliveries?${query}`);
    list.append(...page.results.map((d) => attempt(ask, d)));
    addCopyButtons(list); // of copy.js
    if (page.next_cursor) return button('Earlier attempts', (pressed) =>
      act(pressed, said, () => attempts(ask, hook, list, said, page.next_cursor)));
    return small(list.children.length ? 'These are all attempts that are kept.' : 'Nothing was sent yet.');
  }

  // recover asks since when everything that was not accepted is sent again.
  function recover(ask, hook, said) {
    const { label, select } = choice('Everything since', [[3600, 'an hour ago'], [86400, 'a day ago'], [604800, '7 days ago'],
      [2591000, '30 days ago']], '86400');
    const send = async () => {
      const { recovered_count: sent, has_more: more } = await ask('POST', `/v1/webhooks/${hook.id}/recover`,
        { since: ago(Number(select.value)) });
      const events = eventsSaid(sent);
      const told = sent === 0 ? 'Your server has accepted everything of this time, or it already waits to be sent.'
        : `${events} will be sent, the oldest first.`;
      const next = more ? button('There are more: send the next ones', (pressed) => act(pressed, said, send)) : '';
      return [make('p', { class: 'note' }, told), next];
    };
    said.replaceChildren(label, small('Only what your server has not accepted is sent, and nothing twice.'),
      button('Send all again', (pressed) => act(pressed, said, send), false));
    select.focus();
  }

  // state says how a webhook does: a class, a word and a sentence.
  function state(hook) {
    if (hook.status === 'paused') return ['waiting', 'is paused',
      'It was paused by you or your program. Events are held for up to 30 days, and sent when it is resumed.'];
    if (hook.disabled_reason === 'gone') return ['failed', 'is switched off',
      'The service switched it off, because your server answered 410: gone. Events are held until it is resumed.'];
    if (hook.status === 'disabled') return ['failed', 'is switched off',
      'The service switched it off, because nothing arrived for five days. Events are held until it is resumed.'];
    if (hook.failing_since) return ['failed', 'fails', ''];
    return ['succeeded', 'works', ''];
  }

  // card shows a webhook, with its last failure and the latest attempt to send the same event.
  function card(ask, hook, failure, latest, run) {
    const [look, word, why] = state(hook);
    const waits = hook.status === 'active' && latest?.status === 'scheduled' && latest.scheduled_at > ago(0);
    const said = make('div', { class: 'said' });
    const list = make('ul', { class: 'cases' });
    const more = make('div');
    const log = make('details', { class: 'attempts' }, make('summary', 'All attempts'), list, more);
    log.addEventListener('toggle', () => act(log, more, () => attempts(ask, hook, list, more)), { once: true });
    const resume = () => ask('PATCH', `/v1/webhooks/${hook.id}`, { status: 'active' }).then(() => {
      run();
      return 'It is resumed.';
    });
    const gets = hook.events.includes('*') ? 'It gets all events.' : `It gets ${hook.events.join(', ')}.`;
    return make('li', { id: hook.id }, make('h3', hook.url), make('p', make('span', { class: `badge ${look}` }, word), ' ', gets),
      hook.description ? make('p', hook.description) : '', why ? make('p', why) : '',
      hook.failing_since ? make('p', ...sentence('It has been failing since {}.', time(hook.failing_since))) : '',
      failure ? make('div', { class: 'failure' }, make('p', make('strong', 'Last failure:'), ' ', outcome(failure)),
        small(event(failure.event_type), ' · ', time(failure.started_at || failure.scheduled_at), took(failure),
        ...(waits ? [' · ', ...sentence('next attempt {}', time(latest.scheduled_at))] : [])),
          ...answered(failure),
          ...(latest?.status === 'succeeded' ? [make('p', 'A later attempt was accepted.')] : sendAgain(ask, failure))) : '',
      make('p', hook.status === 'active' ? '' : needing('webhooks:write', 'Resume', (pressed) => act(pressed, said, resume), false),
        needing('webhooks:write', 'Send all that failed', () => recover(ask, hook, said)),
        needing('webhooks:write', 'Send a test event', (pressed) =>
          act(pressed, said, async () => result(await settled(ask, await ask('POST', `/v1/webhooks/${hook.id}/test`)))))),
      said, log, small(hook.id));
  }

  part('webhooks', {
    needs: ['webhooks:read'], atOnce: true, title: 'Show webhooks',
    show: async (ask, run) => {
      const [hooks, failed] = await Promise.all([ask('GET', '/v1/webhooks'),
        ask('GET', `/v1/webhook-deliveries?status=failed&limit=${lastFailures}`)]);
      if (hooks.results.length === 0) return make('p', 'You have no webhook in this mode.');
      const failures = hooks.results.map((hook) => failed.results.find((d) => d.webhook_id === hook.id));
      const query = new URLSearchParams(failures.filter(Boolean).map((d) => ['event_id', d.event_id]));
      const attempts = query.size === 0 ? [] : (await ask('GET', `/v1/webhook-deliveries?limit=200&${query}`)).results;
      const latest = (failure) => attempts.find((d) => d.webhook_id === failure?.webhook_id && d.event_id === failure.event_id);
      return make('ul', { class: 'cases' }, ...hooks.results.map((hook, n) => card(ask, hook, failures[n], latest(failures[n]), run)));
    },
  });
})();

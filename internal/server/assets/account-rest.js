// The parts of /account about the old interface: what is left of it, and drills of its end.
'use strict';

(() => {
  const { make, choice, time, day, number, sentence, pagePath, small, ago, act, needing, sure, part } = account;
  const mostCalls = 5;

  function requests(total) { return total === 1 ? '1 request' : `${number(total)} requests`; }

  function callsSaid(calls) { return calls === 1 ? 'to 1 call' : `to ${number(calls)} calls`; }

  // left sums the calls up, over all keys, the most frequent first.
  function left({ results, days, sunset, state, last_used_at: last }) {
    const all = make('p', make('a', { href: pagePath('/migration/usage') }, 'The whole list, with dates and keys'));
    if (results.length === 0) {
      const now = { done: 'You use /v1: you are done.', silent: 'You do not use /v1 either: your programs are silent.' }[state];
      const said = [`Nothing is left: no call in the last ${days} days.`, last && `The last one was on ${day(last)}.`, now];
      return [make('p', { class: 'note' }, said.filter(Boolean).join(' '))];
    }
    const calls = new Map();
    for (const { call, count: n } of results) calls.set(call, (calls.get(call) || 0) + n);
    const rows = [...calls].sort(([, a], [, b]) => b - a);
    const allRequests = requests(rows.reduce((sum, [, n]) => sum + n, 0));
    const toCalls = callsSaid(rows.length);
    return [
      make('p', { class: 'warn' }, `${allRequests} ${toCalls} in the last ${days} days. They are answered until ${day(sunset)}.`),
      make('ul', ...rows.slice(0, mostCalls).map(([call, n]) =>
        make('li', make('a', { href: pagePath(`/migration/${encodeURIComponent(call)}`) }, call), ` · ${requests(n)}`))), all,
    ];
  }

  part('left', {
    needs: ['account:read'], atOnce: true, title: 'Show what is left',
    show: async (ask) => left(await ask('GET', '/v1/account/legacy-usage')),
  });

  const drillsPath = '/v1/account/legacy-drills';

  // plan is a form for a new drill.
  function plan(ask, run) {
    const begins = choice('It begins', [[300, 'in 5 minutes'], [3600, 'in an hour'], [86400, 'tomorrow at this time'],
      [604800, 'in a week']], '3600');
    const lasts = choice('It lasts', [[900, '15 minutes'], [3600, 'an hour'], [14400, '4 hours'], [86400, 'a day']], '3600');
    const said = make('div', { class: 'said' });
    const work = async () => {
      const from = Number(begins.select.value);
      await ask('POST', drillsPath, { from: ago(-from), to: ago(-from - Number(lasts.select.value)) });
      run();
      return 'The drill is planned.';
    };
    return [begins.label, lasts.label, needing('account:write', 'Plan a drill', () => sure(said,
      'In that time all your programs that call /rest with keys of this mode are refused. Plan it?', 'Yes, plan it',
        (pressed) => act(pressed, said, work))), said];
  }

  function drill(ask, d, run) {
    const said = make('div', { class: 'said' });
    const over = new Date(d.to) < new Date(ago(0));
    const stop = () => sure(said, 'Call this drill off?', 'Yes, call it off',
      (pressed) => act(pressed, said, () => ask('DELETE', `${drillsPath}/${encodeURIComponent(d.id)}`).then(() => {
      run();
      return 'It is called off.';
    })));
    const when = [time(d.from), time(d.to)];
    return make('li', make('p', ...(d.key_id ? sentence('{} to {}, for one key: {}', ...when, make('code', d.key_id))
      : sentence('{} to {}, for all keys of this mode', ...when)), over ? ' · ' : '', over ? 'it is over' : ''),
      over ? '' : needing('account:write', 'Call it off', stop), said, small(d.id));
  }

  part('drills', {
    needs: ['account:read'], title: 'Show drills',
    show: async (ask, run) => {
      const { results } = await ask('GET', `${drillsPath}?limit=200`);
      return [results.length ? make('ul', { class: 'cases' }, ...results.map((d) => drill(ask, d, run)))
        : make('p', 'No drill is planned.'), ...plan(ask, run)];
    },
  });
})();

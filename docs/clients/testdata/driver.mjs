// Does with the client what its arguments say, and prints what came of it: clients_test.go compares the lines of all languages.

import { Client, SellerdError } from './sellerd.mjs';

const { TIMEOUT = '5', DEADLINE = '20', ALLOW_PLAIN_HTTP = '' } = process.env;

/** @param {string} [baseURL] */
const client = (baseURL) => new Client({ baseURL, timeout: Number(TIMEOUT), deadline: Number(DEADLINE), allowPlainHTTP: ALLOW_PLAIN_HTTP !== '' });

/** @type {Record<string, (...args: string[]) => unknown>} */
const commands = {
  async call(method = '', path = '', body = '', key = '', header = '', value = '') {
    const answer = await client().request(method, path, body ? JSON.parse(body) : undefined, {
      idempotencyKey: key === 'empty' ? '' : key || undefined,
      headers: header ? { [header]: value } : {},
    });
    console.log(answer.status, JSON.stringify(answer.data ?? null), answer.etag ?? '-', answer.replayed ? 'replayed' : 'first');
  },
  async message(...args) {
    try {
      await this.call?.(...args);
    } catch (error) {
      console.log(/** @type {any} */ (error).message);
    }
  },
  async walk() {
    const query = { status: ['open', 'scheduled'], has_bids: false, title: 'A & B', sort: null, after: null };
    for await (const item of client().walk('/v1/items', query)) console.log(item.id);
  },
  async events(after = '', follow = '', pages = '') {
    let left = Number(pages);
    for await (const { events, cursor } of client().events({ after: after || undefined, follow: follow === 'follow', query: { type: 'item.*' } })) {
      console.log([cursor, ...events.map(({ id }) => id)].join(' '));
      if (--left === 0) return;
    }
  },
  async wait(submission = '') {
    console.log((await client().waitForSubmission(submission)).item_id);
  },
  async rotate(overlap = '') {
    console.log(await client().rotateKey(Number(overlap)));
  },
  addresses(...urls) {
    for (const url of urls) {
      try {
        client(url);
        console.log('taken', url);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        console.log('refused', url);
      }
    }
  },
};

const [name = '', ...args] = process.argv.slice(2);
try {
  await commands[name]?.(...args);
} catch (error) {
  if (error instanceof SellerdError) {
    const fields = Object.fromEntries(Object.entries(error.fields).sort());
    console.log('error', error.status, error.code, error.requestId ?? '-', JSON.stringify(fields));
  } else if (error instanceof TypeError) {
    console.error(error);
    console.log('refused', error.message);
  } else throw error;
}

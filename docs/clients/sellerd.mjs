// A client of the seller API in one file: copy it to your program. It needs Node.js 20.3 or later, or a browser, and nothing else. The
// types are in JSDoc, which TypeScript reads with the option allowJs.
//
//     import { Client } from './sellerd.mjs';
//
//     const seller = new Client();  // the API key comes from SELLERD_KEY
//     const account = await seller.get('/v1/account');
//
// Paths, parameters and bodies are those of the reference, http://localhost:8080/docs. Methods return the data of an answer, and throw a
// SellerdError for every other outcome. The page http://localhost:8080/docs/clients shows more.

/**
 * An entry of an answer's errors.
 * @typedef {{code: string, message: string, field?: string, index?: number, details?: Record<string, any>, docs_url?: string}} ErrorEntry
 *
 * @typedef {string | number | boolean | Date | null | undefined} Value
 * @typedef {Record<string, Value | Value[]>} Query the parameters of an address; null and undefined are left out
 *
 * @typedef {object} Options
 * @property {string} [key] the API key, by default SELLERD_KEY of the environment; blanks and line breaks around it are removed
 * @property {string} [baseURL] where the service is, by default SELLERD_BASE_URL of the environment
 * @property {number} [timeout] for one attempt, in seconds: 30
 * @property {number} [deadline] for a request with all its repetitions, in seconds: 60
 * @property {boolean} [allowPlainHTTP] send the key over http to other machines too, in a network that you trust
 *
 * @typedef {object} RequestOptions
 * @property {Query} [query]
 * @property {Record<string, string>} [headers]
 * @property {string} [idempotencyKey] of a POST, unless headers has it; without one each call gets a random one, which its repetitions share
 * @property {AbortSignal} [signal] ends the request, and the waits between its repetitions
 *
 * @typedef {object} Answer an answer that is a success, or 304
 * @property {number} status
 * @property {any} data undefined after 304
 * @property {Headers} headers
 * @property {string | null} etag
 * @property {string | null} requestId
 * @property {boolean} replayed the service had done the request before, under the same Idempotency-Key
 *
 * @typedef {{events: any[], cursor: string}} EventPage events, oldest first, and the cursor of the next page, to be stored with the results of your work on them
 */

const firstPause = 0.5; // seconds between attempts, if the service does not say
const longestPause = 30;
const feedWait = 20; // seconds, the most that the service holds a request for events
const waitMargin = 5; // seconds between the end of that wait and the end of the client's patience
const idlePause = 1; // seconds before the feed is asked again, if the service did not wait

/**
 * A request that did not succeed.
 *
 * status is the status of the answer, 0 without one. code is the first code of errors, for programs; without such an answer it is no_answer
 * (the service could not be reached in time), unexpected_answer (something else answered) or not_finished (a submission is still pending).
 * errors are the entries of the answer. requestId finds the request in the service's log.
 */
export class SellerdError extends Error {
  /**
   * @param {number} status
   * @param {ErrorEntry[]} errors
   * @param {string | null} [requestId]
   * @param {unknown} [cause]
   */
  constructor(status, errors, requestId = null, cause = undefined) {
    super(errors.map(inWords).join('; ') + (requestId ? ` (request ${requestId})` : ''), { cause });
    this.name = 'SellerdError';
    this.status = status;
    this.code = errors[0]?.code ?? '';
    this.errors = errors;
    this.requestId = requestId;
  }

  /**
   * The message of each field that has an error.
   * @returns {Record<string, string>}
   */
  get fields() {
    return Object.fromEntries(this.errors.flatMap((e) => (e.field === undefined ? [] : [[e.field, e.message]])));
  }
}

/** A request that is not a webhook of the service, or is too old. */
export class InvalidSignature extends Error {}

/** Sends requests with one API key. A key is sent only over https, or to this machine. */
export class Client {
  /** @type {string} */ #key;
  /** @type {number} */ #timeout;
  /** @type {number} */ #deadline;
  /** @type {string} */ #base;

  /** @param {Options} [options] */
  constructor({ key, baseURL, timeout = 30, deadline = 60, allowPlainHTTP = false } = {}) {
    this.#key = (key || environment('SELLERD_KEY')).trim();
    if (!this.#key) throw new TypeError('there is no API key: pass one, or set SELLERD_KEY');
    if (!/^[A-Za-z0-9_]+$/.test(this.#key)) throw new TypeError('the API key is malformed: it has only letters, digits and _');
    this.#base = (baseURL || environment('SELLERD_BASE_URL') || 'http://localhost:8080').replace(/\/+$/, '');
    const url = URL.canParse(this.#base) ? new URL(this.#base) : null;
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || /[?#]/.test(this.#base)) {
      throw new TypeError(`${this.#base} is not the address of a service, such as https://api.example.com`);
    }
    if (url.protocol === 'http:' && !allowPlainHTTP && !/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)) {
      throw new TypeError(`${this.#base} would show the API key to the network: use https`);
    }
    this.#timeout = timeout;
    this.#deadline = deadline;
  }

  /**
   * Reads an object or one page of a list.
   * @param {string} path
   * @param {Query} [query]
   * @param {RequestOptions} [options]
   * @returns {Promise<any>}
   */
  async get(path, query, options) {
    return (await this.request('GET', path, undefined, { ...options, query })).data;
  }

  /**
   * Creates something or acts.
   * @param {string} path
   * @param {unknown} [body]
   * @param {RequestOptions} [options]
   * @returns {Promise<any>}
   */
  async post(path, body, options) {
    return (await this.request('POST', path, body, options)).data;
  }

  /**
   * Changes the members that body has; null clears a member. With ifMatch, the ETag of a read, it changes only that version.
   * @param {string} path
   * @param {unknown} body
   * @param {RequestOptions & {ifMatch?: string}} [options]
   * @returns {Promise<any>}
   */
  async patch(path, body, { ifMatch, ...options } = {}) {
    return (await this.request('PATCH', path, body, conditional(options, ifMatch))).data;
  }

  /**
   * Removes an object.
   * @param {string} path
   * @param {RequestOptions & {ifMatch?: string}} [options]
   * @returns {Promise<any>}
   */
  async delete(path, { ifMatch, ...options } = {}) {
    return (await this.request('DELETE', path, undefined, conditional(options, ifMatch))).data;
  }

  /**
   * Walks through a list, from page to page.
   * @param {string} path
   * @param {Query} [query]
   * @param {RequestOptions} [options]
   * @returns {AsyncGenerator<any, void, undefined>}
   */
  async *walk(path, query, options) {
    for (let after = query?.after ?? undefined; after !== null; ) {
      const page = await this.get(path, { ...query, after }, options);
      yield* page.results;
      after = page.next_cursor;
    }
  }

  /**
   * Reads the feed of events, page by page, after a cursor: without one from the oldest event on, and with 'latest' only new events.
   *
   * It waits for events for ever; a page without events comes about every 20 seconds, or more often if timeout or deadline is below 25
   * seconds. With follow: false it ends where the feed ends. A SellerdError with the code cursor_expired means that the cursor is older than
   * the feed.
   * @param {RequestOptions & {after?: string, follow?: boolean}} [options] query has the filters, such as type
   * @returns {AsyncGenerator<EventPage, void, undefined>}
   */
  async *events({ after, follow = true, query, ...options } = {}) {
    const longest = Math.floor(Math.max(0, Math.min(feedWait, this.#timeout - waitMargin, this.#deadline - waitMargin)));
    for (;;) {
      const began = now();
      const page = await this.get('/v1/events', { ...query, after, wait: follow ? longest : undefined }, options);
      after = page.next_cursor;
      yield { events: page.results, cursor: page.next_cursor };
      if (page.has_more) continue;
      if (!follow) return;
      if (page.results.length === 0 && now() - began < idlePause) await sleep(idlePause, options.signal);
    }
  }

  /**
   * Waits until a submission is published, and returns it with its item_id. Throws SellerdError with the reasons if it is rejected.
   * @param {string} id
   * @param {RequestOptions & {deadline?: number}} [options]
   * @returns {Promise<any>}
   */
  async waitForSubmission(id, { deadline = 16 * 60, ...options } = {}) {
    const end = now() + deadline;
    for (let pause = 0.25; ; pause = Math.min(2 * pause, 5)) {
      const { status, data, requestId } = await this.request('GET', `/v1/item-submissions/${encodeURIComponent(id)}`, undefined, options);
      if (data.status === 'published') return data;
      if (data.status === 'rejected') {
        throw new SellerdError(status, data.errors.length > 0 ? data.errors : [{ code: 'rejected', message: 'The item was rejected.' }], requestId);
      }
      if (now() + pause > end) {
        throw new SellerdError(status, [{ code: 'not_finished', message: `The submission ${id} is still pending.` }], requestId);
      }
      await sleep(pause, options.signal);
    }
  }

  /**
   * Replaces the client's key, and returns the new one: store it, and make a client with it. Both are valid for the overlap, in seconds.
   * @param {number} [overlap]
   * @param {RequestOptions} [options]
   * @returns {Promise<string>}
   */
  async rotateKey(overlap = 86400, options = {}) {
    // If an answer was lost, a repetition does not show the key: one that nobody has used is replaced.
    for (;;) {
      const { key } = await this.post('/v1/account/keys/current/rotate', { overlap_seconds: overlap }, options);
      if (key) return key;
    }
  }

  /**
   * Sends a request until there is a final answer, and returns it with its headers.
   *
   * It is repeated when no answer arrives, on 429, on 500 and above except 501 and 505, and while the same Idempotency-Key is in
   * progress, after the seconds of Retry-After and a random part of a second. A PATCH that rotates a secret is repeated only on 429.
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @param {RequestOptions} [options]
   * @returns {Promise<Answer>}
   */
  async request(method, path, body, { query = {}, headers: extra = {}, idempotencyKey, signal } = {}) {
    if (!path.startsWith('/')) throw new TypeError(`the path ${path} does not begin with /`);
    const parameters = encoded(query);
    const url = this.#base + path + (parameters && (path.includes('?') ? '&' : '?') + parameters);
    const headers = new Headers({ Accept: 'application/json', ...extra, 'X-Api-Key': this.#key });
    if (body !== undefined) headers.set('Content-Type', 'application/json');
    if (method === 'POST') {
      const key = headers.get('Idempotency-Key') ?? idempotencyKey ?? newKey();
      if (!String(key).trim() || key !== (idempotencyKey ?? key)) throw new TypeError('the Idempotency-Key is empty, or there are two different ones');
      headers.set('Idempotency-Key', key);
    }
    const repeatable = !(/** @type {any} */ (body)?.rotate_secret);
    const text = body === undefined ? undefined : JSON.stringify(body);
    const end = now() + this.#deadline;
    for (let pause = firstPause; ; ) {
      const limit = AbortSignal.timeout(Math.max(1, Math.ceil(1000 * Math.min(this.#timeout, end - now()))));
      const result = await this.#attempt(url, { method, headers, body: text, redirect: 'manual', signal: signal ? AbortSignal.any([signal, limit]) : limit });
      if (!(result.error instanceof SellerdError)) return result;
      signal?.throwIfAborted();
      const { status, code } = result.error;
      const passing = status === 0 || (status >= 500 && status !== 501 && status !== 505) || code === 'idempotency_key_in_progress';
      const asked = seconds(result.headers.get('Retry-After'));
      const wait = asked === null ? pause * (0.5 + Math.random()) : asked + Math.random();
      if (asked === null) pause = Math.min(2 * pause, longestPause);
      if (!(status === 429 || (passing && repeatable)) || now() + wait > end) throw result.error;
      await sleep(wait, signal);
    }
  }

  /**
   * Sends a request once.
   * @param {string} url
   * @param {RequestInit} init
   * @returns {Promise<Answer & {error?: SellerdError}>}
   */
  async #attempt(url, init) {
    let status = 0;
    let headers = new Headers();
    let text = '';
    let error;
    try {
      const response = await fetch(url, init);
      ({ status, headers } = response);
      text = await response.text();
    } catch (cause) {
      const reason = /** @type {any} */ (cause)?.cause?.message || /** @type {any} */ (cause)?.message;
      headers = new Headers();
      error = new SellerdError(0, [{ code: 'no_answer', message: `No answer from ${this.#base}: ${reason}` }], null, cause);
    }
    const requestId = headers.get('X-Request-Id');
    const envelope = parsed(text);
    if (!error && status !== 304 && !(status >= 200 && status < 300 && envelope?.data !== undefined)) {
      const known = Array.isArray(envelope?.errors) && typeof envelope.errors[0]?.code === 'string';
      const unknown = { code: 'unexpected_answer', message: `${this.#base} answered ${status || 'a redirect'}, and not as the seller API does.` };
      error = new SellerdError(status || 302, known ? envelope.errors : [unknown], requestId);
    }
    const replayed = headers.get('Idempotent-Replayed') === 'true';
    return { status, data: envelope?.data, headers, etag: headers.get('ETag'), requestId, replayed, error };
  }
}

/**
 * Returns the event of a webhook's request, or throws InvalidSignature.
 *
 * The request must have been signed with the secret (whsec_…) at most tolerance seconds ago. headers has names in any case and lists of values or
 * single ones: a Headers, a Map, an object as of Node.js or of AWS API Gateway, or rawHeaders. body is the text or the bytes that arrived, unchanged.
 * @param {string} secret
 * @param {Headers | Iterable<string | readonly [string, unknown]> | Record<string, unknown>} headers
 * @param {string | ArrayBuffer | ArrayBufferView} body
 * @param {number} [tolerance]
 * @returns {Promise<any>}
 */
export async function verifyWebhook(secret, headers, body, tolerance = 300) {
  const content = rawBytes(body);
  const raw = bytes(String(secret ?? '').trim().replace(/^whsec_/, ''));
  if (!raw?.length) throw new TypeError('the secret is missing or malformed: it is whsec_ and base64');
  const [id, timestamp, signatures] = webhookHeaders(headers);
  if (!/^\d{1,11}$/.test(timestamp)) throw new InvalidSignature('webhook-timestamp is not a time in Unix seconds');
  const ahead = Number(timestamp) - Date.now() / 1000;
  if (Math.abs(ahead) > tolerance) {
    const apart = `webhook-timestamp is ${Math.round(Math.abs(ahead))} seconds ${ahead > 0 ? 'ahead of' : 'behind'} the clock of this machine`;
    throw new InvalidSignature(`${apart}, more than ${tolerance}: set the clock${ahead > 0 ? '' : ', unless somebody repeats an old request'}`);
  }
  const prefix = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(prefix.length + content.length);
  signed.set(prefix);
  signed.set(content, prefix.length);
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  for (const signature of signatures.split(' ')) {
    const mac = signature.startsWith('v1,') && bytes(signature.slice(3));
    // It compares in constant time.
    if (mac && (await crypto.subtle.verify('HMAC', key, mac, signed))) return JSON.parse(new TextDecoder().decode(content));
  }
  throw new InvalidSignature("no signature matches: check that the secret is this webhook's, and that the body is what arrived, byte for byte");
}

/**
 * The id, the time and the signatures of a webhook, whatever the form of its headers.
 * @param {any} headers
 * @returns {[id: string, timestamp: string, signatures: string]}
 */
function webhookHeaders(headers) {
  const list = typeof headers?.[Symbol.iterator] === 'function' ? [...headers] : Object.entries(headers ?? {});
  // rawHeaders has names and values by turns.
  const pairs = typeof list[0] === 'string' ? list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]]] : [])) : list;
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const values = pairs.filter((pair) => String(pair[0]).toLowerCase() === name).flatMap((pair) => pair[1] ?? []);
    const text = values.map((value) => value?.value ?? value).join(' ').trim(); // Lambda@Edge has objects with key and value
    if (!text) throw new InvalidSignature(`the header ${name} is missing`);
    return text;
  });
  return [id ?? '', timestamp ?? '', signatures ?? ''];
}

/** @param {unknown} body @returns {Uint8Array} */
function rawBytes(body) {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  // An ArrayBuffer of another realm, such as that of a test runner, is no instance of this one's.
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(/** @type {ArrayBuffer} */ (body));
  throw new TypeError('pass the raw body, the text or the bytes that arrived: something has parsed or consumed this one');
}

/** @param {string} base64 */
function bytes(base64) {
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
}

/**
 * An entry of errors, with the place that it is about.
 * @param {ErrorEntry} entry
 */
function inWords({ code, message, field, index }) {
  const place = [(index ?? null) === null ? '' : `index ${index}`, field ? `field ${field}` : ''].filter(Boolean).join(', ');
  return `${code}: ${message}${place && ` (${place})`}`;
}

/** @param {string} text @returns {any} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {Query} query */
function encoded(query) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined) parameters.append(name, one instanceof Date ? one.toISOString() : String(one));
    }
  }
  return parameters.toString();
}

/** @param {RequestOptions} options @param {string | undefined} etag @returns {RequestOptions} */
function conditional(options, etag) {
  return etag === undefined ? options : { ...options, headers: { ...options.headers, 'If-Match': etag } };
}

/** The value of Retry-After: seconds, or a date. @param {string | null} text */
function seconds(text) {
  if (!text) return null;
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000);
}

/** Seconds of a monotonic clock. */
function now() {
  return performance.now() / 1000;
}

/** @param {number} duration @param {AbortSignal} [signal] @returns {Promise<void>} */
function sleep(duration, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(resolve), 1000 * duration);
    const aborted = () => done(() => reject(signal?.reason));
    /** @param {() => void} settle */
    function done(settle) {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
      settle();
    }
    signal?.addEventListener('abort', aborted);
    if (signal?.aborted) aborted();
  });
}

/** crypto.randomUUID is missing in pages that were loaded over http. */
function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');
}

/** @param {string} name @returns {string} */
function environment(name) {
  return /** @type {any} */ (globalThis).process?.env?.[name] ?? '';
}

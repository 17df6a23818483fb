// Gives the client one webhook in each of the forms in which programs have it, and prints what came of each.

import { createHmac, randomBytes } from 'node:crypto';
import { InvalidSignature, verifyWebhook } from './sellerd.mjs';

const raw = randomBytes(24);
const whole = 'whsec_' + raw.toString('base64');
const text = '{"id":"evt_1","title":"Schwarzer Einser 🖤"}';
const bytes = new TextEncoder().encode(text);
const now = Math.floor(Date.now() / 1000);
const sign = (timestamp, content = text) => 'v1,' + createHmac('sha256', raw).update(`evt_1.${timestamp}.`).update(content).digest('base64');
const headers = (timestamp = String(now)) => ({ 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': sign(timestamp) });
const renamed = (rename, wrap = (value) => value) => Object.fromEntries(Object.entries(headers()).map(([name, value]) => [rename(name), wrap(value, rename(name))]));
const title = (name) => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
const same = (name) => name;
const { ['webhook-id']: _, ...noId } = headers();
const { ['webhook-signature']: __, ...noSignature } = headers();

/** @type {Record<string, [headers: any, body?: any, secret?: any]>} */
const tries = {
  'lower case': [headers()],
  'as net/http spells': [renamed(title)],
  'upper case': [renamed((name) => name.toUpperCase())],
  'lists of values': [renamed(title, (value) => [value])],
  'two signatures in a list': [{ ...headers(), 'webhook-signature': ['v1,AAAA', sign(now)] }],
  'two signatures in one value': [{ ...headers(), 'webhook-signature': `v1,AAAA ${sign(now)}` }],
  'fetch Headers': [new Headers(headers())],
  'a Map': [new Map(Object.entries(renamed(title)))],
  'a list of pairs': [Object.entries(renamed(title))],
  'rawHeaders': [['Host', 'shop.example', ...Object.entries(renamed(title)).flat()]],
  'Lambda@Edge': [renamed(same, (value, key) => [{ key, value }])],
  'blanks around a value': [renamed(same, (value) => ` ${value} `)],
  'a number as timestamp': [{ ...headers(), 'webhook-timestamp': now }],
  'other headers': [{ ...headers(), cookie: undefined, accept: null, host: 'shop.example' }],
  'a Buffer': [headers(), Buffer.from(text)],
  'bytes': [headers(), bytes],
  'bytes within others': [headers(), new Uint8Array([1, 2, ...bytes, 3]).subarray(2, 2 + bytes.length)],
  'an ArrayBuffer': [headers(), bytes.buffer],
  'a DataView': [headers(), new DataView(bytes.buffer)],
  'a secret with a line end': [headers(), text, `${whole}\r\n`],
  'a secret with blanks': [headers(), text, ` \t${whole} `],
  'a secret without its beginning': [headers(), text, raw.toString('base64')],
  'a parsed body': [headers(), JSON.parse(text)],
  'a parsed list': [headers(), [1, 2]],
  'no body': [headers(), undefined],
  'a stream': [headers(), new Blob([text]).stream()],
  'no headers': [undefined],
  'no secret': [headers(), text, undefined],
  'an empty secret': [headers(), text, '\n'],
  'another language': [headers(), text, 'whsec_é'],
  'no id': [noId],
  'no signature': [noSignature],
  'a timestamp in words': [{ ...headers(), 'webhook-timestamp': '2026-11-21T12:00:00Z' }],
  'a slow clock': [headers(String(now + 900))],
  'a fast clock': [headers(String(now - 900))],
  'another body': [headers(), text + ' '],
  'a signature that is no base64': [{ ...headers(), 'webhook-signature': 'v1,é v1 v1,' }],
};

for (const [name, given] of Object.entries(tries)) {
  const body = given.length < 2 ? text : given[1];
  const secret = given.length < 3 ? whole : given[2];
  try {
    const event = await verifyWebhook(secret, given[0], body);
    console.log(`${name}: ${event.title}`);
  } catch (error) {
    if (!(error instanceof InvalidSignature) && !(error instanceof TypeError)) throw error;
    console.log(`${name}: ${error instanceof InvalidSignature ? 'forged' : 'misused'}: ${error.message.replace(/\b(899|900|901)\b/, 'N')}`);
  }
}

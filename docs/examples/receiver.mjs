// SPDX-License-Identifier: MIT-0
//
// A receiver of webhooks in one file. It needs Node.js 18.2 and no package. It stores each event once, answers, and processes it afterwards:
//
//     WEBHOOK_SECRET=whsec_… EVENTS=events PORT=3000 node receiver.mjs
//
// One process at a time uses a folder of events.

import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, readFile, readdir, stat, unlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

// 1. Settings, and what your shop does
const tolerance = 300; // seconds that a timestamp may be off
const kept = 35 * 24 * 3600 * 1000; // milliseconds that the service may take to send an event again
const folder = process.env.EVENTS || 'events';
const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').trim().replace(/^whsec_/, ''), 'base64');

// What your shop does with an event. It can be called again for the same event if the process was killed within it.
async function handle(event) {
  console.log(event.type, event.resource.id);
}

// 2. Check, store, answer
// The status of the answer to a request.
async function receive(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks); // the bytes that were signed
  const id = request.headers['webhook-id'] ?? '';
  if (!isSigned(request.headers, id, body)) return 401;
  await store(join(folder, createHash('sha256').update(id).digest('hex')), body);
  return 204;
}

// Whether the service signed these bytes in the last five minutes.
function isSigned(headers, id, body) {
  const timestamp = headers['webhook-timestamp'] ?? '';
  const age = Math.abs(Date.now() / 1000 - timestamp);
  if (!/^\d+$/.test(timestamp) || age > tolerance) return false;
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
  const want = Buffer.from(`v1,${mac.digest('base64')}`);
  const signatures = (headers['webhook-signature'] ?? '').split(' '); // two in a rotation
  return signatures.map((text) => Buffer.from(text))
    .some((got) => got.length === want.length && timingSafeEqual(got, want));
}

// Stores an event once. If that fails, the service sends it again.
async function store(path, body) {
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    await file.writeFile(body);
    await file.sync();
    await file.close();
    await link(draft, `${path}.json`); // fails if the event is there already, whole
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft).catch(() => {});
  }
}

// 3. Process what is stored
// Handles each stored event that is not marked as done, in the order in which they happened, and forgets old ones.
async function processStored() {
  const events = [];
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.json')) continue;
    const file = join(folder, name);
    const done = file.replace(/\.json$/, '.done');
    if (!existsSync(done)) {
      events.push({ done, event: JSON.parse(await readFile(file, 'utf8')) });
    } else if ((await stat(done)).mtimeMs < Date.now() - kept) {
      await unlink(file);
      await unlink(done);
    }
  }
  const order = ({ event }) => event.created_at + String(event.resource.sequence).padStart(12, '0');
  events.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  for (const { done, event } of events) {
    await handle(event);
    await writeFile(done, '');
  }
}

// One run at a time. What fails is tried again with the next event, or in a minute.
let running = Promise.resolve();
const runSoon = () => { running = running.then(processStored).catch((error) => console.error(error)); };

if (key.length === 0) throw new Error('WEBHOOK_SECRET is missing or malformed');
await mkdir(folder, { recursive: true, mode: 0o700 });
const server = createServer((request, response) => {
  receive(request).catch((error) => { console.error(error); return 500; }).then((status) => {
    response.writeHead(status).end();
    runSoon();
  });
});
const port = process.env.PORT || 3000;
server.listen(port, '127.0.0.1', () => {
  console.error(`listening on 127.0.0.1:${port}`);
  runSoon();
});
setInterval(runSoon, 60_000);
process.on('SIGTERM', () => { // the requests and the event at hand are finished
  server.close(() => running.then(() => process.exit()));
  server.closeIdleConnections();
});

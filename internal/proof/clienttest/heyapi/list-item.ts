// Does the same as ../typescript, with the functions and types that @hey-api/openapi-ts makes of the service's OpenAPI document without any
// option.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { client } from "./seller-api/client.gen.js";
import {
  browseEvents, browseItems, changeItems, getItem, getSubmission, markBillSent, simulateInvoice, simulatePayment, simulatePurchase, submitItem,
} from "./seller-api/index.js";
import type { Error as ApiError, ItemInput, Submission } from "./seller-api/index.js";

client.setConfig({ baseUrl: process.env.SELLERD_BASE_URL ?? "http://localhost:8080", auth: process.env.SELLERD_KEY ?? "" });

const stamp: ItemInput = {
  title: "France 1849, 20c black Ceres",
  category_id: "1010101",
  sale_type: "fixed_price",
  price: { amount: "12.50", currency: "EUR" },
};

// An answer may get lost. The same request under the same key gives the same submission, and not a second item.
const headers = { "Idempotency-Key": randomUUID() };
const first = dataOf(await submitItem({ headers, body: stamp }));
const again = dataOf(await submitItem({ headers, body: stamp }));
console.log(`submitted ${first.id === again.id ? "once" : "twice"}`);

const id = await published(first);
const changes = [id, "1"].map((item_id) => ({ item_id, patch: { price: { amount: "14.00" } } }));
const { changed_count, results } = dataOf(await changeItems({ headers: { "Idempotency-Key": randomUUID() }, body: { changes } }));
console.log(`changed ${changed_count} of ${changes.length}`);
for (const { item_id, errors } of results) {
  for (const { code } of errors) console.log(`not changed ${item_id}: ${code}`);
}
const item = dataOf(await getItem({ path: { id } }));
console.log(`published ${item.id}: ${item.title}, ${item.price?.amount} ${item.price?.currency}, ${item.status}`);

let after: string | undefined;
do {
  const page = dataOf(await browseItems({ query: { status: ["open"], limit: 2, after } }));
  for (const { id, title } of page.results) console.log(`on sale ${id}: ${title}`);
  after = page.next_cursor ?? undefined;
} while (after);

let more = true;
for (let after: string | undefined; more; ) {
  const page = dataOf(await browseEvents({ query: { resource_id: [id], limit: 1, after } }));
  for (const { type, resource } of page.results) console.log(`event ${type} of item ${resource.id}`);
  after = page.next_cursor;
  more = page.has_more;
}

const { error } = await submitItem({ body: { ...stamp, price: null } });
for (const { code, field, message } of error?.errors ?? []) {
  console.log(code === "missing_field" ? `refused: ${field} is missing` : `refused: ${message}`);
}

// In the sandbox you are also the buyer and the marketplace.
const sale = dataOf(await simulatePurchase({ path: { id }, body: { buyer: { nickname: "test-klara" } } }));
const bill = { path: { id: sale.bill_id } };
dataOf(await simulateInvoice(bill));
dataOf(await simulatePayment(bill));
console.log(`sold ${sale.quantity} to ${sale.buyer.nickname}, the bill is ${dataOf(await markBillSent(bill)).status}`);

// published waits for the submission's end, which comes within minutes, and returns the item's id.
async function published(submission: Submission): Promise<string> {
  while (submission.status !== "published") {
    if (submission.status === "rejected") throw new Error(JSON.stringify(submission.errors));
    await sleep(250);
    submission = dataOf(await getSubmission({ path: { id: submission.id! } }));
  }
  return submission.item_id!;
}

// dataOf takes an answer's data out of its envelope, or throws what the service refused.
function dataOf<T>(answer: { data?: { data: T }; error?: { errors: ApiError[] } }): T {
  if (answer.data) return answer.data.data;
  throw new Error(JSON.stringify(answer.error?.errors));
}

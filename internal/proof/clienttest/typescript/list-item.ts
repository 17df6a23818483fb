// Puts an item on sale, changes its price and reads it back, lists what is on sale, follows the item's events, shows what a refusal
// looks like, and sells and ships the item. What is sent and what is answered have the types that `npm run generate` reads from the service's OpenAPI
// document.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "./seller-api.js";

type ItemInput = components["schemas"]["ItemInput"];
type Item = components["schemas"]["Item"];
type Submission = components["schemas"]["Submission"];
type ItemEvent = components["schemas"]["Event"];
type ApiError = components["schemas"]["Error"];

const api = createClient<paths>({
  baseUrl: process.env.SELLERD_BASE_URL ?? "http://localhost:8080",
  headers: { "X-Api-Key": process.env.SELLERD_KEY ?? "" },
});

const stamp: ItemInput = {
  title: "France 1849, 20c black Ceres",
  category_id: "1010101",
  sale_type: "fixed_price",
  price: { amount: "12.50", currency: "EUR" },
};

// An answer may get lost. The same request under the same key gives the same submission, and not a second item.
const key = randomUUID();
const first = await submit(stamp, key);
const again = await submit(stamp, key);
console.log(`submitted ${first.id === again.id ? "once" : "twice"}`);

const id = await published(first);
await reprice("14.00", id, "1");
const item = await read(id);
console.log(`published ${item.id}: ${item.title}, ${item.price?.amount} ${item.price?.currency}, ${item.status}`);

for await (const { id, title } of onSale()) {
  console.log(`on sale ${id}: ${title}`);
}

for await (const { type, resource } of events(id)) {
  console.log(`event ${type} of item ${resource.id}`);
}

const { error } = await api.POST("/v1/items", { body: { ...stamp, price: null } });
if (error?.status_code === 422) {
  for (const { code, field, message } of error.errors) {
    // The compiler knows which codes this request can be refused with.
    switch (code) {
      case "missing_field":
        console.log(`refused: ${field} is missing`);
        break;
      case "unknown_category":
      case "category_not_selectable":
        console.log("refused: choose another category");
        break;
      default:
        console.log(`refused: ${message}`);
    }
  }
}

// In the sandbox you are also the buyer and the marketplace.
const klara = { buyer: { nickname: "test-klara" } };
const sale = dataOf(await api.POST("/v1/test/items/{id}/purchase", { params: { path: { id } }, body: klara }));
const bill = { params: { path: { id: sale.bill_id } } };
dataOf(await api.POST("/v1/test/bills/{id}/invoice", bill));
dataOf(await api.POST("/v1/test/bills/{id}/pay", bill));
const { status } = dataOf(await api.POST("/v1/bills/{id}/mark-sent", bill));
console.log(`sold ${sale.quantity} to ${sale.buyer.nickname}, the bill is ${status}`);

async function submit(item: ItemInput, key: string): Promise<Submission> {
  return dataOf(await api.POST("/v1/items", { params: { header: { "Idempotency-Key": key } }, body: item }));
}

// published waits for the submission's end, which comes within minutes, and returns the item's id. Ids are null only
// where there is nothing: after a request that only validates, and before the item is published.
async function published(submission: Submission): Promise<string> {
  while (submission.status !== "published") {
    if (submission.status === "rejected") throw refusal(submission.errors);
    await sleep(250);
    submission = dataOf(await api.GET("/v1/item-submissions/{id}", { params: { path: { id: submission.id! } } }));
  }
  return submission.item_id!;
}

async function read(id: string): Promise<Item> {
  return dataOf(await api.GET("/v1/items/{id}", { params: { path: { id } } }));
}

// reprice changes the prices of items in one request. An item that cannot be changed does not stop the others.
async function reprice(amount: string, ...ids: string[]): Promise<void> {
  const changes = ids.map((item_id) => ({ item_id, patch: { price: { amount } } }));
  const headers = { "Idempotency-Key": randomUUID() };
  const { changed_count, results } = dataOf(await api.POST("/v1/item-changes", { params: { header: headers }, body: { changes } }));
  console.log(`changed ${changed_count} of ${ids.length}`);
  for (const { item_id, errors } of results) {
    for (const { code } of errors) console.log(`not changed ${item_id}: ${code}`);
  }
}

// events goes through an item's events, in the order in which they happened, up to the present.
async function* events(id: string): AsyncGenerator<ItemEvent> {
  let after: string | undefined;
  let more: boolean;
  do {
    const page = dataOf(await api.GET("/v1/events", { params: { query: { resource_id: [id], limit: 1, after } } }));
    yield* page.results;
    after = page.next_cursor;
    more = page.has_more;
  } while (more);
}

// onSale goes through all open items, from page to page. The pages are small here, so that there are several.
async function* onSale(): AsyncGenerator<Item> {
  let after: string | undefined;
  do {
    const page = dataOf(await api.GET("/v1/items", { params: { query: { status: ["open"], limit: 2, after } } }));
    yield* page.results;
    after = page.next_cursor ?? undefined;
  } while (after);
}

// dataOf takes an answer's data out of its envelope, or throws what the service refused.
function dataOf<T>(answer: { data?: { data: T }; error?: { errors: ApiError[] }; response: Response }): T {
  if (answer.data) return answer.data.data;
  throw answer.error ? refusal(answer.error.errors) : new Error(`status ${answer.response.status}`);
}

function refusal(errors: ApiError[]): Error {
  return new Error(errors.map(({ code, message }) => `${code}: ${message}`).join("\n"));
}

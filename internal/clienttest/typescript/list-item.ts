// Puts an item on sale and reads it back, lists what is on sale, and shows what a refusal looks like. What is sent and
// what is answered have the types that `npm run generate` reads from the service's OpenAPI document.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "./seller-api.js";

type ItemInput = components["schemas"]["ItemInput"];
type Item = components["schemas"]["Item"];
type Submission = components["schemas"]["Submission"];
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
const item = await read(id);
console.log(`published ${item.id}: ${item.title}, ${item.price?.amount} ${item.price?.currency}, ${item.status}`);

for await (const { id, title } of onSale()) {
  console.log(`on sale ${id}: ${title}`);
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

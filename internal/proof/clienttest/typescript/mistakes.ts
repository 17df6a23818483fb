// Requests that must not compile. Nothing runs them: tsc complains of a line that is expected to be wrong and is not.

import createClient from "openapi-fetch";
import type { components, paths } from "./seller-api.js";

const api = createClient<paths>();
type ItemInput = components["schemas"]["ItemInput"];
const item: ItemInput = { title: "A stamp", category_id: "1010101", sale_type: "auction" };

export async function mistakes(): Promise<void> {
  // @ts-expect-error there is no such path
  await api.GET("/v1/stamps");
  // @ts-expect-error an item needs a category and the way it is sold
  await api.POST("/v1/items", { body: { title: "A stamp" } });
  // @ts-expect-error there is no such member
  const black: ItemInput = { ...item, colour: "black" };
  await api.POST("/v1/items", { body: black });
  // @ts-expect-error an amount is a string
  await api.POST("/v1/items", { body: { ...item, starting_price: { amount: 12.5, currency: "EUR" } } });
  // @ts-expect-error an item is not sold by lottery
  await api.POST("/v1/items", { body: { ...item, sale_type: "lottery" } });
  // @ts-expect-error there is no such order
  await api.GET("/v1/sales", { params: { query: { sort: "price_asc" } } });

  const { data, error } = await api.GET("/v1/items/{id}", { params: { path: { id: "1" } } });
  // @ts-expect-error a subtitle may be null
  data?.data.subtitle.length;
  // @ts-expect-error there is no such status
  data?.data.status === "lost";
  if (error?.status_code === 404) {
    // @ts-expect-error an item is not missing for want of a webhook
    error.errors.some(({ code }) => code === "webhook_not_found");
  }
}

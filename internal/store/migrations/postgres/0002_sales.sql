-- +goose Up
-- drop index "bills_buyer" from table: "bills"
DROP INDEX "bills_buyer";
-- create index "bills_buyer" to table: "bills"
CREATE INDEX "bills_buyer" ON "bills" ("owner", "buyer_id", "created_at", "id");
-- create index "bills_of_buyer" to table: "bills"
CREATE INDEX "bills_of_buyer" ON "bills" ("buyer_id", "id");
-- create index "bills_tracked" to table: "bills"
CREATE INDEX "bills_tracked" ON "bills" ("owner", "created_at", "id") WHERE (tracking_count > 0);
-- create index "bills_untracked" to table: "bills"
CREATE INDEX "bills_untracked" ON "bills" ("owner", "created_at", "id") WHERE (tracking_count = 0);
-- drop index "buyers_nickname" from table: "buyers"
DROP INDEX "buyers_nickname";
-- modify "buyers" table, which no earlier program could fill
ALTER TABLE "buyers" ALTER COLUMN "email" DROP NOT NULL, ALTER COLUMN "first_name" DROP NOT NULL, ALTER COLUMN "last_name" DROP NOT NULL, DROP COLUMN "test", DROP COLUMN "rating_percentage", ADD COLUMN "scope" bigint NOT NULL, ADD COLUMN "address" text NOT NULL DEFAULT '', ADD COLUMN "rating_sum" bigint NOT NULL DEFAULT 0;
-- create index "buyers_nickname" to table: "buyers"
CREATE UNIQUE INDEX "buyers_nickname" ON "buyers" ("scope", "nickname");
-- create index "items_bidder" to table: "items"
CREATE INDEX "items_bidder" ON "items" ("high_bidder_id", "id") WHERE ((status = 'open'::text) AND (high_bidder_id IS NOT NULL));
-- modify "owners" table
ALTER TABLE "owners" ADD COLUMN "bill_count" bigint NOT NULL DEFAULT 0;
-- drop index "sales_bill" from table: "sales"
DROP INDEX "sales_bill";
-- drop index "sales_buyer" from table: "sales"
DROP INDEX "sales_buyer";
-- drop index "sales_item" from table: "sales"
DROP INDEX "sales_item";
-- modify "sales" table
ALTER TABLE "sales" ADD COLUMN "shipping_model_id" bigint NULL;
-- create index "sales_bill" to table: "sales"
CREATE INDEX "sales_bill" ON "sales" ("owner", "bill_id", "sold_at", "id");
-- create index "sales_buyer" to table: "sales"
CREATE INDEX "sales_buyer" ON "sales" ("owner", "buyer_id", "sold_at", "id");
-- create index "sales_item" to table: "sales"
CREATE INDEX "sales_item" ON "sales" ("owner", "item_id", "sold_at", "id");

-- +goose NO TRANSACTION
-- +goose Up
-- The statements lock out no writer, so running servers go on. Each can be repeated: a build that was interrupted leaves an index that
-- is not valid, which is dropped first.
DROP INDEX CONCURRENTLY IF EXISTS "submissions_test";
-- create index "submissions_test" to table: "submissions"
CREATE INDEX CONCURRENTLY "submissions_test" ON "submissions" ("owner", "id") WHERE ((owner % (2)::bigint) = 1);
DROP INDEX CONCURRENTLY IF EXISTS "sales_of_item";
-- create index "sales_of_item" to table: "sales"
CREATE INDEX CONCURRENTLY "sales_of_item" ON "sales" ("item_id");
DROP INDEX CONCURRENTLY IF EXISTS "sales_of_bill";
-- create index "sales_of_bill" to table: "sales"
CREATE INDEX CONCURRENTLY "sales_of_bill" ON "sales" ("bill_id");
DROP INDEX CONCURRENTLY IF EXISTS "sales_of_buyer";
-- create index "sales_of_buyer" to table: "sales"
CREATE INDEX CONCURRENTLY "sales_of_buyer" ON "sales" ("buyer_id");

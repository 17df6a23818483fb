-- +goose NO TRANSACTION
-- +goose Up
-- The columns lock their tables for a moment, and the indexes lock out no writer, so running servers go on. Each statement can be
-- repeated: a build that was interrupted leaves an index that is not valid, which is dropped first.
ALTER TABLE "api_keys" ADD COLUMN IF NOT EXISTS "predecessor_id" text NULL, ADD COLUMN IF NOT EXISTS "successor_id" text NULL, ADD COLUMN IF NOT EXISTS "lifetime" bigint NULL;
ALTER TABLE "events" ADD COLUMN IF NOT EXISTS "key_id" text NULL, ADD COLUMN IF NOT EXISTS "changed" text NULL;
ALTER TABLE "submissions" ADD COLUMN IF NOT EXISTS "cause" text NULL;
ALTER TABLE "items" ADD COLUMN IF NOT EXISTS "images_cause" text NULL;
ALTER TABLE "webhooks" ADD COLUMN IF NOT EXISTS "skip_key_ids" text NULL, ADD COLUMN IF NOT EXISTS "changed" text NULL;
ALTER TABLE "bills" ADD COLUMN IF NOT EXISTS "forgotten_at" bigint NULL;
ALTER TABLE "sales" ADD COLUMN IF NOT EXISTS "forgotten_at" bigint NULL;
-- keys that read sales or bills go on reading the buyers in them; by hand. An older program takes no notice of the name.
UPDATE api_keys SET permissions = permissions || ' buyers:read'
 WHERE (permissions LIKE '%sales:%' OR permissions LIKE '%bills:%') AND permissions NOT LIKE '%buyers:read%';
-- buyers who are forgotten already; by hand
UPDATE bills SET forgotten_at = b.forgotten_at FROM buyers b WHERE b.id = buyer_id AND b.forgotten_at IS NOT NULL AND bills.forgotten_at IS NULL;
UPDATE sales SET forgotten_at = b.forgotten_at FROM buyers b WHERE b.id = buyer_id AND b.forgotten_at IS NOT NULL AND sales.forgotten_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS "bills_forgotten";
-- create index "bills_forgotten" to table: "bills"
CREATE INDEX CONCURRENTLY "bills_forgotten" ON "bills" ("owner", "created_at", "id") WHERE (forgotten_at IS NOT NULL);
DROP INDEX CONCURRENTLY IF EXISTS "sales_forgotten";
-- create index "sales_forgotten" to table: "sales"
CREATE INDEX CONCURRENTLY "sales_forgotten" ON "sales" ("owner", "sold_at", "id") WHERE (forgotten_at IS NOT NULL);

-- +goose Up
-- drop index "deliveries_event" from table: "deliveries"
DROP INDEX "deliveries_event";
-- drop index "deliveries_owner" from table: "deliveries"
DROP INDEX "deliveries_owner";
-- drop index "deliveries_resource" from table: "deliveries"
DROP INDEX "deliveries_resource";
-- drop index "deliveries_status" from table: "deliveries"
DROP INDEX "deliveries_status";
-- drop index "deliveries_type" from table: "deliveries"
DROP INDEX "deliveries_type";
-- drop index "deliveries_webhook" from table: "deliveries"
DROP INDEX "deliveries_webhook";
-- create index "deliveries_event" to table: "deliveries"
CREATE INDEX "deliveries_event" ON "deliveries" ("owner", "event_id", "created_at", "id");
-- create index "deliveries_owner" to table: "deliveries"
CREATE INDEX "deliveries_owner" ON "deliveries" ("owner", "created_at", "id");
-- create index "deliveries_resource" to table: "deliveries"
CREATE INDEX "deliveries_resource" ON "deliveries" ("owner", "resource_id", "created_at", "id");
-- create index "deliveries_status" to table: "deliveries"
CREATE INDEX "deliveries_status" ON "deliveries" ("owner", "status", "created_at", "id");
-- create index "deliveries_type" to table: "deliveries"
CREATE INDEX "deliveries_type" ON "deliveries" ("owner", "event_type", "created_at", "id");
-- create index "deliveries_webhook" to table: "deliveries"
CREATE INDEX "deliveries_webhook" ON "deliveries" ("owner", "webhook_id", "created_at", "id");
-- drop index "dispatches_due" from table: "dispatches"
DROP INDEX "dispatches_due";
-- drop index "dispatches_event" from table: "dispatches", which the differ takes for the foreign key's own
DROP INDEX "dispatches_event";
-- drop index "dispatches_order" from table: "dispatches"
DROP INDEX "dispatches_order";
-- modify "dispatches" table
ALTER TABLE "dispatches" DROP CONSTRAINT "dispatches_events_event", DROP CONSTRAINT "dispatches_webhooks_webhook", ALTER COLUMN "resource" SET DEFAULT '', ADD COLUMN "delivery_id" bigint NOT NULL, ADD COLUMN "trigger" text NOT NULL, ADD COLUMN "failures" bigint NOT NULL DEFAULT 0;
-- create index "dispatches_due" to table: "dispatches"
CREATE INDEX "dispatches_due" ON "dispatches" ("status", "webhook_id", "due_at", "id");
-- create index "dispatches_order" to table: "dispatches"
CREATE INDEX "dispatches_order" ON "dispatches" ("webhook_id", "resource", "id");
-- modify "webhooks" table
ALTER TABLE "webhooks" ADD COLUMN "failing_event_at" bigint NULL;

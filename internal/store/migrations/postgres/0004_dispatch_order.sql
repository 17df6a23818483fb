-- +goose Up
-- drop index "dispatches_order" from table: "dispatches"
DROP INDEX "dispatches_order";
-- modify "dispatches" table
ALTER TABLE "dispatches" ADD COLUMN "sequence" bigint NOT NULL DEFAULT 0, ADD COLUMN "blocked" boolean NOT NULL DEFAULT false;
-- fill in what the new columns mean for dispatches that there are already: the state "held" is gone, the webhook's own state decides
UPDATE dispatches SET sequence = coalesce((SELECT e.sequence FROM events e WHERE e.id = dispatches.event_id), 0) WHERE resource <> '';
UPDATE dispatches SET status = 'pending' WHERE status = 'held';
-- create index "dispatches_order" to table: "dispatches"
CREATE INDEX "dispatches_order" ON "dispatches" ("webhook_id", "resource", "sequence");
-- create index "dispatches_first" to table: "dispatches"
CREATE INDEX "dispatches_first" ON "dispatches" ("webhook_id", "due_at", "id") WHERE ((status = 'pending'::text) AND (attempts = 0) AND (NOT blocked));
-- modify "webhooks" table
ALTER TABLE "webhooks" ADD COLUMN "resumed_at" bigint NULL, ADD COLUMN "resuming" boolean NOT NULL DEFAULT false;

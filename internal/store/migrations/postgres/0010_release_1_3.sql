-- +goose NO TRANSACTION
-- +goose Up
-- The columns lock their tables for a moment, and the index locks out no writer, so running servers go on. Each statement can be
-- repeated: a build that was interrupted leaves an index that is not valid, which is dropped first.
ALTER TABLE "api_keys" ADD COLUMN IF NOT EXISTS "permissions" text NULL;
ALTER TABLE "owners" ADD COLUMN IF NOT EXISTS "resetting_since" bigint NULL, ADD COLUMN IF NOT EXISTS "reset_at" bigint NULL;
DROP INDEX CONCURRENTLY IF EXISTS "events_feed";
-- create index "events_feed" to table: "events"
CREATE INDEX CONCURRENTLY "events_feed" ON "events" ("owner", "created_at", "id");
-- drop the index that found an account's events by their ids, by which nothing asks
DROP INDEX CONCURRENTLY IF EXISTS "events_owner";

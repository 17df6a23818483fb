-- +goose NO TRANSACTION
-- +goose Up
-- The column locks its table for a moment, and the rows that a server works with are left out, so running servers go on. Each statement
-- can be repeated.
-- modify "submissions" table
ALTER TABLE "submissions" ADD COLUMN IF NOT EXISTS "shipping_model_id" bigint NULL;
-- note the models of those that wait; by hand. What has none yet may have any, as what a program from before this one stores later.
UPDATE submissions SET shipping_model_id = CAST(coalesce(substring(draft FROM '"shipping_model_id":"([0-9]+)"'), '0') AS bigint)
 WHERE id IN (SELECT id FROM submissions WHERE status IN ('pending','processing') FOR UPDATE SKIP LOCKED);

-- +goose Up
-- add column "shipping_model_id" to table: "submissions"
ALTER TABLE `submissions` ADD COLUMN `shipping_model_id` integer NULL;
-- note the models of those that wait; by hand. A draft that cannot be read is rejected later, and so has none.
UPDATE submissions SET shipping_model_id = coalesce(CAST(CASE WHEN json_valid(draft) THEN json_extract(draft, '$.shipping_model_id') END AS integer), 0)
 WHERE status IN ('pending','processing');

-- +goose Up
-- add column "setting_number" to table: "webhooks"
ALTER TABLE `webhooks` ADD COLUMN `setting_number` integer NULL;
-- create index "sales_cancelled" to table: "sales"
CREATE INDEX `sales_cancelled` ON `sales` (`owner`, `item_sale_type`, `sold_at`) WHERE cancellation_status = 'cancelled';
-- create index "webhooks_setting" to table: "webhooks"
CREATE UNIQUE INDEX `webhooks_setting` ON `webhooks` (`setting_number`);
-- number the settings of /rest that there are, from 1001 on, and go on counting behind them
UPDATE webhooks SET setting_number = numbered.n FROM (SELECT id, 1000 + row_number() OVER (ORDER BY id) AS n FROM webhooks WHERE format = 'legacy_xml') AS numbered
 WHERE webhooks.id = numbered.id;
INSERT INTO number_ranges (id, next) SELECT 'setting', 1001 + count(*) FROM webhooks WHERE format = 'legacy_xml' HAVING count(*) > 0;

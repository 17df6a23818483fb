-- +goose Up
-- add column "setting_number" to table: "webhooks"
ALTER TABLE `webhooks` ADD COLUMN `setting_number` integer NULL;
-- create index "webhooks_setting" to table: "webhooks"
CREATE UNIQUE INDEX `webhooks_setting` ON `webhooks` (`setting_number`);
-- number the settings of /rest that there are, from 1001 on, and go on counting behind them
UPDATE webhooks SET setting_number = numbered.n FROM (SELECT id, 1000 + row_number() OVER (ORDER BY id) AS n FROM webhooks WHERE format = 'legacy_xml') AS numbered
 WHERE webhooks.id = numbered.id;
INSERT INTO number_ranges (id, next) SELECT 'setting', 1001 + count(*) FROM webhooks WHERE format = 'legacy_xml';
-- count the cancelled sales that there are
INSERT INTO list_positions (owner, list, level, bucket, n)
 SELECT owner, 'sale/' || item_sale_type || '/cancelled', 0, sold_at >> 27, count(*) FROM sales WHERE status = 'cancelled' GROUP BY owner, item_sale_type, sold_at >> 27;
INSERT INTO list_positions (owner, list, level, bucket, n)
 SELECT owner, list, 1, bucket >> 10, sum(n) FROM list_positions WHERE level = 0 AND list IN ('sale/auction/cancelled','sale/fixed_price/cancelled') GROUP BY owner, list, bucket >> 10;

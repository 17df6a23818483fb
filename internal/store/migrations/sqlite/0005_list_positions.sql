-- +goose Up
-- create index "items_open" to table: "items"
CREATE INDEX `items_open` ON `items` (`owner`, `sale_type`, `created_at`, `id`) WHERE status = 'open';
-- create index "items_ended" to table: "items"
CREATE INDEX `items_ended` ON `items` (`owner`, `sale_type`, `created_at`, `id`) WHERE status IN ('unsold','closed');
-- create index "sales_auction" to table: "sales"
CREATE INDEX `sales_auction` ON `sales` (`owner`, `sold_at`, `id`) WHERE item_sale_type = 'auction';
-- create index "sales_fixed_price" to table: "sales"
CREATE INDEX `sales_fixed_price` ON `sales` (`owner`, `sold_at`, `id`) WHERE item_sale_type = 'fixed_price';
-- create "list_positions" table
CREATE TABLE `list_positions` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `owner` integer NOT NULL, `list` text NOT NULL, `level` integer NOT NULL, `bucket` integer NOT NULL, `n` integer NOT NULL);
-- create index "list_positions_bucket" to table: "list_positions"
CREATE UNIQUE INDEX `list_positions_bucket` ON `list_positions` (`owner`, `list`, `level`, `bucket`);
-- count the rows there are
INSERT INTO list_positions (owner, list, level, bucket, n)
 SELECT owner, 'item/' || sale_type || '/open', 0, created_at >> 27, count(*) FROM items WHERE status = 'open' GROUP BY owner, sale_type, created_at >> 27;
INSERT INTO list_positions (owner, list, level, bucket, n)
 SELECT owner, 'item/' || sale_type || '/ended', 0, created_at >> 27, count(*) FROM items WHERE status IN ('unsold','closed') GROUP BY owner, sale_type, created_at >> 27;
INSERT INTO list_positions (owner, list, level, bucket, n)
 SELECT owner, 'sale/' || item_sale_type, 0, sold_at >> 27, count(*) FROM sales GROUP BY owner, item_sale_type, sold_at >> 27;
INSERT INTO list_positions (owner, list, level, bucket, n)
 SELECT owner, list, 1, bucket >> 10, sum(n) FROM list_positions WHERE level = 0 GROUP BY owner, list, bucket >> 10;

-- +goose NO TRANSACTION
-- +goose Up
PRAGMA foreign_keys = off;
BEGIN IMMEDIATE;
-- create "new_bills" table
CREATE TABLE `new_bills` (`id` integer NOT NULL, `owner` integer NOT NULL, `number` text NOT NULL, `status` text NOT NULL, `currency` text NOT NULL, `shipping_address` text NOT NULL DEFAULT (''), `subtotal` integer NOT NULL DEFAULT (0), `shipping_cost` integer NULL, `shipping_model_id` integer NULL, `payment_status` text NOT NULL, `payment_method` text NULL, `payment_amount` integer NULL, `tracking_count` integer NOT NULL DEFAULT (0), `created_at` integer NOT NULL, `invoiced_at` integer NULL, `paid_at` integer NULL, `sent_at` integer NULL, `cancelled_at` integer NULL, `updated_at` integer NOT NULL, `sequence` integer NOT NULL DEFAULT (0), `buyer_id` integer NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `bills_buyers_buyer` FOREIGN KEY (`buyer_id`) REFERENCES `buyers` (`id`) ON DELETE NO ACTION);
-- copy rows from old table "bills" to new temporary table "new_bills"
INSERT INTO `new_bills` (`id`, `owner`, `number`, `status`, `currency`, `shipping_address`, `subtotal`, `shipping_cost`, `shipping_model_id`, `payment_status`, `payment_method`, `payment_amount`, `tracking_count`, `created_at`, `invoiced_at`, `paid_at`, `sent_at`, `cancelled_at`, `updated_at`, `sequence`, `buyer_id`) SELECT `id`, `owner`, `number`, `status`, `currency`, `shipping_address`, `subtotal`, `shipping_cost`, `shipping_model_id`, `payment_status`, `payment_method`, `payment_amount`, `tracking_count`, `created_at`, `invoiced_at`, `paid_at`, `sent_at`, `cancelled_at`, `updated_at`, `sequence`, `buyer_id` FROM `bills`;
-- drop "bills" table after copying rows
DROP TABLE `bills`;
-- rename temporary table "new_bills" to "bills"
ALTER TABLE `new_bills` RENAME TO `bills`;
-- create index "bills_created" to table: "bills"
CREATE INDEX `bills_created` ON `bills` (`owner`, `created_at`, `id`);
-- create index "bills_updated" to table: "bills"
CREATE INDEX `bills_updated` ON `bills` (`owner`, `updated_at`, `id`);
-- create index "bills_status" to table: "bills"
CREATE INDEX `bills_status` ON `bills` (`owner`, `status`, `created_at`, `id`);
-- create index "bills_buyer" to table: "bills"
CREATE INDEX `bills_buyer` ON `bills` (`owner`, `buyer_id`, `created_at`, `id`);
-- create index "bills_paid" to table: "bills"
CREATE INDEX `bills_paid` ON `bills` (`owner`, `paid_at`, `id`);
-- create index "bills_sent" to table: "bills"
CREATE INDEX `bills_sent` ON `bills` (`owner`, `sent_at`, `id`);
-- create index "bills_of_buyer" to table: "bills"
CREATE INDEX `bills_of_buyer` ON `bills` (`buyer_id`, `id`);
-- create index "bills_tracked" to table: "bills"
CREATE INDEX `bills_tracked` ON `bills` (`owner`, `created_at`, `id`) WHERE tracking_count > 0;
-- create index "bills_untracked" to table: "bills"
CREATE INDEX `bills_untracked` ON `bills` (`owner`, `created_at`, `id`) WHERE tracking_count = 0;
-- create "new_buyers" table
CREATE TABLE `new_buyers` (`id` integer NOT NULL, `scope` integer NOT NULL, `nickname` text NOT NULL, `email` text NULL, `first_name` text NULL, `last_name` text NULL, `language` text NOT NULL, `country` text NOT NULL, `phone` text NULL, `address` text NOT NULL DEFAULT (''), `rating_count` integer NOT NULL DEFAULT (0), `rating_sum` integer NOT NULL DEFAULT (0), `created_at` integer NOT NULL, `updated_at` integer NOT NULL, `forgotten_at` integer NULL, PRIMARY KEY (`id`));
-- copy rows from old table "buyers" to new temporary table "new_buyers"
INSERT INTO `new_buyers` (`id`, `nickname`, `email`, `first_name`, `last_name`, `language`, `country`, `phone`, `rating_count`, `created_at`, `updated_at`, `forgotten_at`) SELECT `id`, `nickname`, `email`, `first_name`, `last_name`, `language`, `country`, `phone`, `rating_count`, `created_at`, `updated_at`, `forgotten_at` FROM `buyers`;
-- drop "buyers" table after copying rows
DROP TABLE `buyers`;
-- rename temporary table "new_buyers" to "buyers"
ALTER TABLE `new_buyers` RENAME TO `buyers`;
-- create index "buyers_nickname" to table: "buyers"
CREATE UNIQUE INDEX `buyers_nickname` ON `buyers` (`scope`, `nickname`);
-- create index "items_bidder" to table: "items"
CREATE INDEX `items_bidder` ON `items` (`high_bidder_id`, `id`) WHERE status = 'open' AND high_bidder_id IS NOT NULL;
-- create "new_owners" table
CREATE TABLE `new_owners` (`id` integer NOT NULL, `account_id` integer NOT NULL, `last_change_at` integer NOT NULL, `open_count` integer NOT NULL DEFAULT (0), `day` integer NOT NULL DEFAULT (0), `day_count` integer NOT NULL DEFAULT (0), `webhook_count` integer NOT NULL DEFAULT (0), `bill_count` integer NOT NULL DEFAULT (0), PRIMARY KEY (`id`));
-- copy rows from old table "owners" to new temporary table "new_owners"
INSERT INTO `new_owners` (`id`, `account_id`, `last_change_at`, `open_count`, `day`, `day_count`, `webhook_count`) SELECT `id`, `account_id`, `last_change_at`, `open_count`, `day`, `day_count`, `webhook_count` FROM `owners`;
-- drop "owners" table after copying rows
DROP TABLE `owners`;
-- rename temporary table "new_owners" to "owners"
ALTER TABLE `new_owners` RENAME TO `owners`;
-- create "new_sales" table
CREATE TABLE `new_sales` (`id` integer NOT NULL, `owner` integer NOT NULL, `item_title` text NOT NULL, `item_reference` text NULL, `item_category_id` integer NOT NULL, `item_sale_type` text NOT NULL, `currency` text NOT NULL, `quantity` integer NOT NULL, `unit_price` integer NOT NULL, `total_price` integer NOT NULL, `weight_grams` integer NULL, `shipping_model_id` integer NULL, `shipping_address` text NOT NULL DEFAULT (''), `status` text NOT NULL, `cancellation_status` text NOT NULL, `cancellation_reason` text NULL, `cancellation_requested_at` integer NULL, `cancellation_decided_at` integer NULL, `sold_at` integer NOT NULL, `rated_at` integer NULL, `created_at` integer NOT NULL, `updated_at` integer NOT NULL, `sequence` integer NOT NULL DEFAULT (0), `item_id` integer NOT NULL, `bill_id` integer NOT NULL, `buyer_id` integer NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `sales_items_item` FOREIGN KEY (`item_id`) REFERENCES `items` (`id`) ON DELETE NO ACTION, CONSTRAINT `sales_bills_bill` FOREIGN KEY (`bill_id`) REFERENCES `bills` (`id`) ON DELETE NO ACTION, CONSTRAINT `sales_buyers_buyer` FOREIGN KEY (`buyer_id`) REFERENCES `buyers` (`id`) ON DELETE NO ACTION);
-- copy rows from old table "sales" to new temporary table "new_sales"
INSERT INTO `new_sales` (`id`, `owner`, `item_title`, `item_reference`, `item_category_id`, `item_sale_type`, `currency`, `quantity`, `unit_price`, `total_price`, `weight_grams`, `shipping_address`, `status`, `cancellation_status`, `cancellation_reason`, `cancellation_requested_at`, `cancellation_decided_at`, `sold_at`, `rated_at`, `created_at`, `updated_at`, `sequence`, `item_id`, `bill_id`, `buyer_id`) SELECT `id`, `owner`, `item_title`, `item_reference`, `item_category_id`, `item_sale_type`, `currency`, `quantity`, `unit_price`, `total_price`, `weight_grams`, `shipping_address`, `status`, `cancellation_status`, `cancellation_reason`, `cancellation_requested_at`, `cancellation_decided_at`, `sold_at`, `rated_at`, `created_at`, `updated_at`, `sequence`, `item_id`, `bill_id`, `buyer_id` FROM `sales`;
-- drop "sales" table after copying rows
DROP TABLE `sales`;
-- rename temporary table "new_sales" to "sales"
ALTER TABLE `new_sales` RENAME TO `sales`;
-- create index "sales_sold" to table: "sales"
CREATE INDEX `sales_sold` ON `sales` (`owner`, `sold_at`, `id`);
-- create index "sales_updated" to table: "sales"
CREATE INDEX `sales_updated` ON `sales` (`owner`, `updated_at`, `id`);
-- create index "sales_item" to table: "sales"
CREATE INDEX `sales_item` ON `sales` (`owner`, `item_id`, `sold_at`, `id`);
-- create index "sales_bill" to table: "sales"
CREATE INDEX `sales_bill` ON `sales` (`owner`, `bill_id`, `sold_at`, `id`);
-- create index "sales_buyer" to table: "sales"
CREATE INDEX `sales_buyer` ON `sales` (`owner`, `buyer_id`, `sold_at`, `id`);
-- create index "sales_cancellation" to table: "sales"
CREATE INDEX `sales_cancellation` ON `sales` (`owner`, `cancellation_status`, `sold_at`, `id`);
-- create index "sales_unrated" to table: "sales"
CREATE INDEX `sales_unrated` ON `sales` (`owner`, `sold_at`, `id`) WHERE rated_at IS NULL;
-- create index "sales_rated" to table: "sales"
CREATE INDEX `sales_rated` ON `sales` (`owner`, `sold_at`, `id`) WHERE rated_at IS NOT NULL;
-- refuse to commit broken references
CREATE TEMP TABLE broken_references (count integer CHECK (count = 0));
INSERT INTO broken_references SELECT count(*) FROM pragma_foreign_key_check;
DROP TABLE broken_references;
COMMIT;
PRAGMA foreign_keys = on;

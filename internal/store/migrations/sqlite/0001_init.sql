-- +goose Up
-- create "api_keys" table
CREATE TABLE `api_keys` (`id` text NOT NULL, `account_id` integer NOT NULL, `test` bool NOT NULL, `name` text NOT NULL, `secret_sha256` blob NOT NULL, `last_four` text NOT NULL, `created_at` integer NOT NULL, `expires_at` integer NULL, `revoked_at` integer NULL, `last_used_at` integer NULL, PRIMARY KEY (`id`));
-- create index "api_keys_account" to table: "api_keys"
CREATE INDEX `api_keys_account` ON `api_keys` (`account_id`, `test`);
-- create "accounts" table
CREATE TABLE `accounts` (`id` integer NOT NULL, `nickname` text NOT NULL, `email` text NOT NULL, `type` text NOT NULL, `country` text NOT NULL, `language` text NOT NULL, `currency` text NOT NULL, `time_zone` text NOT NULL, `store_name` text NOT NULL, `store_plan` text NOT NULL, `rating_count` integer NOT NULL DEFAULT (0), `rating_percentage` real NULL, `status` text NOT NULL, `limit_requests_per_minute` integer NULL, `limit_open_items` integer NULL, `limit_new_items_per_day` integer NULL, `created_at` integer NOT NULL, `updated_at` integer NOT NULL, PRIMARY KEY (`id`));
-- create index "accounts_nickname" to table: "accounts"
CREATE UNIQUE INDEX `accounts_nickname` ON `accounts` (`nickname`);
-- create "batches" table
CREATE TABLE `batches` (`id` integer NOT NULL, `owner` integer NOT NULL, `accepted_count` integer NOT NULL, `rejected_count` integer NOT NULL, `created_at` integer NOT NULL, PRIMARY KEY (`id`));
-- create "bids" table
CREATE TABLE `bids` (`id` integer NOT NULL, `owner` integer NOT NULL, `item_id` integer NOT NULL, `round` integer NOT NULL DEFAULT (0), `buyer_id` integer NOT NULL, `amount` integer NOT NULL, `created_at` integer NOT NULL, PRIMARY KEY (`id`));
-- create index "bids_item" to table: "bids"
CREATE INDEX `bids_item` ON `bids` (`item_id`, `round`, `amount`);
-- create "bills" table
CREATE TABLE `bills` (`id` integer NOT NULL, `owner` integer NOT NULL, `number` text NOT NULL, `status` text NOT NULL, `currency` text NOT NULL, `shipping_address` text NOT NULL DEFAULT (''), `subtotal` integer NOT NULL DEFAULT (0), `shipping_cost` integer NULL, `shipping_model_id` integer NULL, `payment_status` text NOT NULL, `payment_method` text NULL, `payment_amount` integer NULL, `tracking_count` integer NOT NULL DEFAULT (0), `created_at` integer NOT NULL, `invoiced_at` integer NULL, `paid_at` integer NULL, `sent_at` integer NULL, `cancelled_at` integer NULL, `updated_at` integer NOT NULL, `sequence` integer NOT NULL DEFAULT (0), `buyer_id` integer NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `bills_buyers_buyer` FOREIGN KEY (`buyer_id`) REFERENCES `buyers` (`id`) ON DELETE NO ACTION);
-- create index "bills_created" to table: "bills"
CREATE INDEX `bills_created` ON `bills` (`owner`, `created_at`, `id`);
-- create index "bills_updated" to table: "bills"
CREATE INDEX `bills_updated` ON `bills` (`owner`, `updated_at`, `id`);
-- create index "bills_status" to table: "bills"
CREATE INDEX `bills_status` ON `bills` (`owner`, `status`, `created_at`, `id`);
-- create index "bills_buyer" to table: "bills"
CREATE INDEX `bills_buyer` ON `bills` (`owner`, `buyer_id`, `id`);
-- create index "bills_paid" to table: "bills"
CREATE INDEX `bills_paid` ON `bills` (`owner`, `paid_at`, `id`);
-- create index "bills_sent" to table: "bills"
CREATE INDEX `bills_sent` ON `bills` (`owner`, `sent_at`, `id`);
-- create "buyers" table
CREATE TABLE `buyers` (`id` integer NOT NULL, `test` bool NOT NULL, `nickname` text NOT NULL, `email` text NOT NULL, `first_name` text NOT NULL, `last_name` text NOT NULL, `language` text NOT NULL, `country` text NOT NULL, `phone` text NULL, `rating_count` integer NOT NULL DEFAULT (0), `rating_percentage` real NULL, `created_at` integer NOT NULL, `updated_at` integer NOT NULL, `forgotten_at` integer NULL, PRIMARY KEY (`id`));
-- create index "buyers_nickname" to table: "buyers"
CREATE UNIQUE INDEX `buyers_nickname` ON `buyers` (`test`, `nickname`);
-- create "deliveries" table
CREATE TABLE `deliveries` (`id` integer NOT NULL, `owner` integer NOT NULL, `dispatch_id` integer NOT NULL, `webhook_id` integer NOT NULL, `event_id` integer NOT NULL, `event_type` text NOT NULL, `resource_id` text NOT NULL, `attempt` integer NOT NULL, `trigger` text NOT NULL, `status` text NOT NULL, `final` bool NOT NULL DEFAULT (false), `url` text NOT NULL, `request_headers` text NOT NULL DEFAULT (''), `response_status` integer NULL, `response_body` text NOT NULL DEFAULT (''), `response_truncated` bool NOT NULL DEFAULT (false), `error_code` text NULL, `duration_ms` integer NULL, `scheduled_at` integer NOT NULL, `started_at` integer NULL, `next_attempt_at` integer NULL, `created_at` integer NOT NULL, PRIMARY KEY (`id`));
-- create index "deliveries_owner" to table: "deliveries"
CREATE INDEX `deliveries_owner` ON `deliveries` (`owner`, `id`);
-- create index "deliveries_webhook" to table: "deliveries"
CREATE INDEX `deliveries_webhook` ON `deliveries` (`owner`, `webhook_id`, `id`);
-- create index "deliveries_event" to table: "deliveries"
CREATE INDEX `deliveries_event` ON `deliveries` (`owner`, `event_id`, `id`);
-- create index "deliveries_type" to table: "deliveries"
CREATE INDEX `deliveries_type` ON `deliveries` (`owner`, `event_type`, `id`);
-- create index "deliveries_resource" to table: "deliveries"
CREATE INDEX `deliveries_resource` ON `deliveries` (`owner`, `resource_id`, `id`);
-- create index "deliveries_status" to table: "deliveries"
CREATE INDEX `deliveries_status` ON `deliveries` (`owner`, `status`, `id`);
-- create "dispatches" table
CREATE TABLE `dispatches` (`id` integer NOT NULL, `owner` integer NOT NULL, `resource` text NOT NULL, `status` text NOT NULL, `attempts` integer NOT NULL DEFAULT (0), `due_at` integer NOT NULL, `lease` integer NOT NULL DEFAULT (0), `created_at` integer NOT NULL, `expires_at` integer NOT NULL, `event_id` integer NOT NULL, `webhook_id` integer NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `dispatches_events_event` FOREIGN KEY (`event_id`) REFERENCES `events` (`id`) ON DELETE NO ACTION, CONSTRAINT `dispatches_webhooks_webhook` FOREIGN KEY (`webhook_id`) REFERENCES `webhooks` (`id`) ON DELETE NO ACTION);
-- create index "dispatches_due" to table: "dispatches"
CREATE INDEX `dispatches_due` ON `dispatches` (`due_at`, `id`) WHERE status IN ('pending','leased');
-- create index "dispatches_order" to table: "dispatches"
CREATE INDEX `dispatches_order` ON `dispatches` (`webhook_id`, `resource`, `id`) WHERE status IN ('pending','leased','held');
-- create index "dispatches_event" to table: "dispatches"
CREATE INDEX `dispatches_event` ON `dispatches` (`event_id`);
-- create "events" table
CREATE TABLE `events` (`id` integer NOT NULL, `owner` integer NOT NULL, `type` text NOT NULL, `resource_type` text NOT NULL, `resource_id` integer NOT NULL, `sequence` integer NOT NULL, `body` text NOT NULL, `created_at` integer NOT NULL, PRIMARY KEY (`id`));
-- create index "events_owner" to table: "events"
CREATE INDEX `events_owner` ON `events` (`owner`, `id`);
-- create index "events_sequence" to table: "events"
CREATE UNIQUE INDEX `events_sequence` ON `events` (`resource_type`, `resource_id`, `sequence`);
-- create "idempotency_keys" table
CREATE TABLE `idempotency_keys` (`id` text NOT NULL, `fingerprint` blob NOT NULL, `status` integer NOT NULL, `body` text NOT NULL, `location` text NOT NULL, `expires_at` integer NOT NULL, PRIMARY KEY (`id`));
-- create index "idempotency_keys_expiry" to table: "idempotency_keys"
CREATE INDEX `idempotency_keys_expiry` ON `idempotency_keys` (`expires_at`);
-- create "items" table
CREATE TABLE `items` (`id` integer NOT NULL, `owner` integer NOT NULL, `sale_type` text NOT NULL, `title` text NOT NULL, `subtitle` text NULL, `description` text NULL, `personal_reference` text NULL, `category_id` integer NOT NULL, `currency` text NOT NULL, `price` integer NULL, `starting_price` integer NULL, `bid_increment` integer NULL, `reserve_price` integer NULL, `current_price` integer NOT NULL, `bid_count` integer NOT NULL DEFAULT (0), `first_bid_at` integer NULL, `high_bidder_id` integer NULL, `quantity` integer NOT NULL, `quantity_sold` integer NOT NULL DEFAULT (0), `duration_days` integer NULL, `preferred_end_day` text NULL, `preferred_end_time` text NULL, `starts_at` integer NULL, `ends_at` integer NOT NULL, `published_at` integer NULL, `closed_at` integer NULL, `created_at` integer NOT NULL, `updated_at` integer NOT NULL, `renewals` integer NOT NULL DEFAULT (0), `renewals_left` integer NOT NULL DEFAULT (0), `shipping_model_id` integer NULL, `weight_grams` integer NULL, `images` text NOT NULL DEFAULT (''), `images_due_at` integer NULL, `options` integer NOT NULL DEFAULT (0), `site` text NOT NULL, `status` text NOT NULL, `close_reason` text NULL, `close_note` text NULL, `restart_count` integer NOT NULL DEFAULT (0), `visit_count` integer NOT NULL DEFAULT (0), `sequence` integer NOT NULL DEFAULT (0), `run_started_at` integer NOT NULL, `due_at` integer NULL, `search` text NOT NULL DEFAULT (''), `lease` integer NOT NULL DEFAULT (0), PRIMARY KEY (`id`));
-- create index "items_created" to table: "items"
CREATE INDEX `items_created` ON `items` (`owner`, `created_at`, `id`);
-- create index "items_updated" to table: "items"
CREATE INDEX `items_updated` ON `items` (`owner`, `updated_at`, `id`);
-- create index "items_ends" to table: "items"
CREATE INDEX `items_ends` ON `items` (`owner`, `ends_at`, `id`);
-- create index "items_status" to table: "items"
CREATE INDEX `items_status` ON `items` (`owner`, `status`, `created_at`, `id`);
-- create index "items_reference" to table: "items"
CREATE INDEX `items_reference` ON `items` (`owner`, `personal_reference`, `id`);
-- create index "items_category" to table: "items"
CREATE INDEX `items_category` ON `items` (`owner`, `category_id`, `id`);
-- create index "items_shipping_model" to table: "items"
CREATE INDEX `items_shipping_model` ON `items` (`owner`, `shipping_model_id`, `id`);
-- create index "items_price" to table: "items"
CREATE INDEX `items_price` ON `items` (`owner`, `current_price`, `id`);
-- create index "items_sale_type" to table: "items"
CREATE INDEX `items_sale_type` ON `items` (`owner`, `sale_type`, `created_at`, `id`);
-- create index "items_currency" to table: "items"
CREATE INDEX `items_currency` ON `items` (`owner`, `currency`, `id`);
-- create index "items_bids" to table: "items"
CREATE INDEX `items_bids` ON `items` (`owner`, `created_at`, `id`) WHERE bid_count > 0;
-- create index "items_due" to table: "items"
CREATE INDEX `items_due` ON `items` (`due_at`, `id`) WHERE status IN ('scheduled','open');
-- create index "items_images_due" to table: "items"
CREATE INDEX `items_images_due` ON `items` (`images_due_at`, `id`) WHERE images_due_at IS NOT NULL;
-- create "item_words" table
CREATE TABLE `item_words` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `owner` integer NOT NULL, `word` text NOT NULL, `item_id` integer NOT NULL);
-- create index "item_words_word" to table: "item_words"
CREATE UNIQUE INDEX `item_words_word` ON `item_words` (`owner`, `word`, `item_id`);
-- create "legacy_keys" table
CREATE TABLE `legacy_keys` (`id` integer NOT NULL, `account_id` integer NOT NULL, `test` bool NOT NULL, `secret_sha256` blob NOT NULL, `last_four` text NOT NULL, `created_at` integer NOT NULL, `revoked_at` integer NULL, `last_used_at` integer NULL, PRIMARY KEY (`id`));
-- create index "legacy_keys_secret_sha256_key" to table: "legacy_keys"
CREATE UNIQUE INDEX `legacy_keys_secret_sha256_key` ON `legacy_keys` (`secret_sha256`);
-- create index "legacy_keys_account" to table: "legacy_keys"
CREATE INDEX `legacy_keys_account` ON `legacy_keys` (`account_id`, `test`);
-- create "legacy_usage" table
CREATE TABLE `legacy_usage` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `owner` integer NOT NULL, `key_id` text NOT NULL, `call` text NOT NULL, `day` integer NOT NULL, `count` integer NOT NULL DEFAULT (0), `lossy_fields` text NOT NULL DEFAULT (''), `last_used_at` integer NOT NULL);
-- create index "legacy_usage_row" to table: "legacy_usage"
CREATE UNIQUE INDEX `legacy_usage_row` ON `legacy_usage` (`owner`, `day`, `call`, `key_id`);
-- create "number_ranges" table
CREATE TABLE `number_ranges` (`id` text NOT NULL, `next` integer NOT NULL, PRIMARY KEY (`id`));
-- create "owners" table
CREATE TABLE `owners` (`id` integer NOT NULL, `account_id` integer NOT NULL, `last_change_at` integer NOT NULL, `open_count` integer NOT NULL DEFAULT (0), `day` integer NOT NULL DEFAULT (0), `day_count` integer NOT NULL DEFAULT (0), `webhook_count` integer NOT NULL DEFAULT (0), PRIMARY KEY (`id`));
-- create "rate_windows" table
CREATE TABLE `rate_windows` (`id` text NOT NULL, `tat` integer NOT NULL, `expires_at` integer NOT NULL, PRIMARY KEY (`id`));
-- create index "rate_windows_expiry" to table: "rate_windows"
CREATE INDEX `rate_windows_expiry` ON `rate_windows` (`expires_at`);
-- create "ratings" table
CREATE TABLE `ratings` (`id` integer NOT NULL, `owner` integer NOT NULL, `buyer_id` integer NOT NULL, `score` integer NULL, `comment` text NULL, `revision_count` integer NOT NULL DEFAULT (0), `created_at` integer NOT NULL, `updated_at` integer NOT NULL, PRIMARY KEY (`id`));
-- create "sales" table
CREATE TABLE `sales` (`id` integer NOT NULL, `owner` integer NOT NULL, `item_title` text NOT NULL, `item_reference` text NULL, `item_category_id` integer NOT NULL, `item_sale_type` text NOT NULL, `currency` text NOT NULL, `quantity` integer NOT NULL, `unit_price` integer NOT NULL, `total_price` integer NOT NULL, `weight_grams` integer NULL, `shipping_address` text NOT NULL DEFAULT (''), `status` text NOT NULL, `cancellation_status` text NOT NULL, `cancellation_reason` text NULL, `cancellation_requested_at` integer NULL, `cancellation_decided_at` integer NULL, `sold_at` integer NOT NULL, `rated_at` integer NULL, `created_at` integer NOT NULL, `updated_at` integer NOT NULL, `sequence` integer NOT NULL DEFAULT (0), `item_id` integer NOT NULL, `bill_id` integer NOT NULL, `buyer_id` integer NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `sales_items_item` FOREIGN KEY (`item_id`) REFERENCES `items` (`id`) ON DELETE NO ACTION, CONSTRAINT `sales_bills_bill` FOREIGN KEY (`bill_id`) REFERENCES `bills` (`id`) ON DELETE NO ACTION, CONSTRAINT `sales_buyers_buyer` FOREIGN KEY (`buyer_id`) REFERENCES `buyers` (`id`) ON DELETE NO ACTION);
-- create index "sales_sold" to table: "sales"
CREATE INDEX `sales_sold` ON `sales` (`owner`, `sold_at`, `id`);
-- create index "sales_updated" to table: "sales"
CREATE INDEX `sales_updated` ON `sales` (`owner`, `updated_at`, `id`);
-- create index "sales_item" to table: "sales"
CREATE INDEX `sales_item` ON `sales` (`owner`, `item_id`, `id`);
-- create index "sales_bill" to table: "sales"
CREATE INDEX `sales_bill` ON `sales` (`owner`, `bill_id`, `id`);
-- create index "sales_buyer" to table: "sales"
CREATE INDEX `sales_buyer` ON `sales` (`owner`, `buyer_id`, `id`);
-- create index "sales_cancellation" to table: "sales"
CREATE INDEX `sales_cancellation` ON `sales` (`owner`, `cancellation_status`, `sold_at`, `id`);
-- create index "sales_unrated" to table: "sales"
CREATE INDEX `sales_unrated` ON `sales` (`owner`, `sold_at`, `id`) WHERE rated_at IS NULL;
-- create index "sales_rated" to table: "sales"
CREATE INDEX `sales_rated` ON `sales` (`owner`, `sold_at`, `id`) WHERE rated_at IS NOT NULL;
-- create "shipping_models" table
CREATE TABLE `shipping_models` (`id` integer NOT NULL, `owner` integer NOT NULL, `name` text NOT NULL, `type` text NOT NULL, `currency` text NOT NULL, `is_default` bool NOT NULL, `zones` text NOT NULL DEFAULT (''), `created_at` integer NOT NULL, `updated_at` integer NOT NULL, PRIMARY KEY (`id`));
-- create index "shipping_models_owner" to table: "shipping_models"
CREATE INDEX `shipping_models_owner` ON `shipping_models` (`owner`, `id`);
-- create "submissions" table
CREATE TABLE `submissions` (`id` integer NOT NULL, `owner` integer NOT NULL, `batch_id` integer NULL, `batch_index` integer NULL, `personal_reference` text NULL, `status` text NOT NULL, `draft` text NOT NULL DEFAULT (''), `errors` text NOT NULL DEFAULT (''), `warnings` text NOT NULL DEFAULT (''), `created_at` integer NOT NULL, `publish_deadline` integer NOT NULL, `completed_at` integer NULL, `due_at` integer NOT NULL, `lease` integer NOT NULL DEFAULT (0), `attempts` integer NOT NULL DEFAULT (0), PRIMARY KEY (`id`));
-- create index "submissions_due" to table: "submissions"
CREATE INDEX `submissions_due` ON `submissions` (`due_at`, `id`) WHERE status IN ('pending','processing');
-- create index "submissions_batch" to table: "submissions"
CREATE INDEX `submissions_batch` ON `submissions` (`batch_id`, `batch_index`) WHERE batch_id IS NOT NULL;
-- create "trackings" table
CREATE TABLE `trackings` (`id` integer NOT NULL, `owner` integer NOT NULL, `delivery_service_id` integer NOT NULL, `number` text NOT NULL, `sale_ids` text NOT NULL DEFAULT (''), `shipped_at` integer NULL, `note` text NULL, `created_at` integer NOT NULL, `updated_at` integer NOT NULL, `bill_id` integer NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `trackings_bills_bill` FOREIGN KEY (`bill_id`) REFERENCES `bills` (`id`) ON DELETE NO ACTION);
-- create index "trackings_number" to table: "trackings"
CREATE UNIQUE INDEX `trackings_number` ON `trackings` (`bill_id`, `delivery_service_id`, `number`);
-- create "webhooks" table
CREATE TABLE `webhooks` (`id` integer NOT NULL, `owner` integer NOT NULL, `url` text NOT NULL, `events` text NOT NULL DEFAULT (''), `events_key` text NOT NULL, `format` text NOT NULL, `description` text NULL, `status` text NOT NULL, `disabled_reason` text NULL, `failing_since` integer NULL, `secret` blob NOT NULL, `previous_secret` blob NULL, `previous_secret_until` integer NULL, `secret_hint` text NOT NULL, `failures` integer NOT NULL DEFAULT (0), `last_success_at` integer NULL, `paused_until` integer NULL, `breaker_level` integer NOT NULL DEFAULT (0), `created_at` integer NOT NULL, `updated_at` integer NOT NULL, PRIMARY KEY (`id`));
-- create index "webhooks_owner" to table: "webhooks"
CREATE UNIQUE INDEX `webhooks_owner` ON `webhooks` (`owner`, `url`, `events_key`);

-- +goose Up
-- create "operators" table
CREATE TABLE `operators` (`id` integer NOT NULL, `name` text NOT NULL, `role` text NOT NULL, `token_sha256` blob NULL, `last_four` text NOT NULL, `created_at` integer NOT NULL, `revoked_at` integer NULL, `last_used_at` integer NULL, PRIMARY KEY (`id`));
-- create index "operators_token_sha256_key" to table: "operators"
CREATE UNIQUE INDEX `operators_token_sha256_key` ON `operators` (`token_sha256`);
-- create index "operators_name" to table: "operators"
CREATE UNIQUE INDEX `operators_name` ON `operators` (`name`) WHERE revoked_at IS NULL;
-- create "operator_audit" table
CREATE TABLE `operator_audit` (`id` integer NOT NULL, `at` integer NOT NULL, `operator` text NOT NULL, `action` text NOT NULL, `account_id` integer NULL, `target` text NOT NULL, `before` text NULL, `after` text NULL, `request_id` text NOT NULL, PRIMARY KEY (`id`));
-- create index "operator_audit_at" to table: "operator_audit"
CREATE INDEX `operator_audit_at` ON `operator_audit` (`at`, `id`);
-- create index "operator_audit_account" to table: "operator_audit"
CREATE INDEX `operator_audit_account` ON `operator_audit` (`account_id`, `at`, `id`);
-- create index "operator_audit_operator" to table: "operator_audit"
CREATE INDEX `operator_audit_operator` ON `operator_audit` (`operator`, `at`, `id`);

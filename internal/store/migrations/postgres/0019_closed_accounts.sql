-- +goose Up
-- modify "accounts" table
ALTER TABLE "accounts" ADD COLUMN "closed_at" bigint NULL, ADD COLUMN "erase_at" bigint NULL;
-- create index "accounts_closed" to table: "accounts"
CREATE INDEX "accounts_closed" ON "accounts" ("erase_at", "id") WHERE (closed_at IS NOT NULL);

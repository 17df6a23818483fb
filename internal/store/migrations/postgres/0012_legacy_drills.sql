-- +goose Up
-- create "legacy_drills" table
CREATE TABLE "legacy_drills" ("id" bigint NOT NULL, "owner" bigint NOT NULL, "key_id" text NULL, "begins_at" bigint NOT NULL, "ends_at" bigint NOT NULL, "created_at" bigint NOT NULL, "called_off_at" bigint NULL, PRIMARY KEY ("id"));
-- create index "legacy_drills_end" to table: "legacy_drills"
CREATE INDEX "legacy_drills_end" ON "legacy_drills" ("ends_at");
-- create index "legacy_drills_owner" to table: "legacy_drills"
CREATE INDEX "legacy_drills_owner" ON "legacy_drills" ("owner", "id");

-- +goose NO TRANSACTION
-- +goose Up
-- The statements lock out no writer, so running servers go on. Each can be repeated: a build that was interrupted leaves an index that
-- is not valid, which is dropped first.
DROP INDEX CONCURRENTLY IF EXISTS "items_owner_images_due";
-- create index "items_owner_images_due" to table: "items"
CREATE INDEX CONCURRENTLY "items_owner_images_due" ON "items" ("owner", "images_due_at", "id") WHERE (images_due_at IS NOT NULL);
DROP INDEX CONCURRENTLY IF EXISTS "submissions_deadline";
-- create index "submissions_deadline" to table: "submissions"
CREATE INDEX CONCURRENTLY "submissions_deadline" ON "submissions" ("publish_deadline", "id") WHERE (completed_at IS NULL);
DROP INDEX CONCURRENTLY IF EXISTS "submissions_owner_due";
-- create index "submissions_owner_due" to table: "submissions"
CREATE INDEX CONCURRENTLY "submissions_owner_due" ON "submissions" ("owner", "due_at", "id") WHERE (status = ANY (ARRAY['pending'::text, 'processing'::text]));
-- drop the indexes that find due work of all owners together: a program from before this one finds it by the new ones, and sorts
DROP INDEX CONCURRENTLY IF EXISTS "submissions_due";
DROP INDEX CONCURRENTLY IF EXISTS "items_images_due";

-- +goose Up
-- create index "items_owner_images_due" to table: "items"
CREATE INDEX "items_owner_images_due" ON "items" ("owner", "images_due_at", "id") WHERE (images_due_at IS NOT NULL);
-- create index "submissions_deadline" to table: "submissions"
CREATE INDEX "submissions_deadline" ON "submissions" ("publish_deadline", "id") WHERE (completed_at IS NULL);
-- create index "submissions_owner_due" to table: "submissions"
CREATE INDEX "submissions_owner_due" ON "submissions" ("owner", "due_at", "id") WHERE (status = ANY (ARRAY['pending'::text, 'processing'::text]));
-- drop the indexes that find due work of all owners together: a program from before this one finds it by the new ones, and sorts
DROP INDEX "submissions_due";
DROP INDEX "items_images_due";

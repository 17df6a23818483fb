-- +goose Up
-- create "legacy_uses" table
CREATE TABLE `legacy_uses` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `owner` integer NOT NULL, `key_id` text NOT NULL, `call` text NOT NULL, `first_used_at` integer NOT NULL, `last_used_at` integer NOT NULL, `lossy_fields` text NOT NULL DEFAULT (''), `drilled_at` integer NULL);
-- create index "legacy_uses_row" to table: "legacy_uses"
CREATE UNIQUE INDEX `legacy_uses_row` ON `legacy_uses` (`owner`, `key_id`, `call`);
-- create "successor_usage" table
CREATE TABLE `successor_usage` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `owner` integer NOT NULL, `day` integer NOT NULL, `count` integer NOT NULL DEFAULT (0), `legacy_count` integer NOT NULL DEFAULT (0), `last_used_at` integer NOT NULL);
-- create index "successor_usage_row" to table: "successor_usage"
CREATE UNIQUE INDEX `successor_usage_row` ON `successor_usage` (`owner`, `day`);
-- take over what is counted by day; by hand. A day's beginning stands for the first use on it, and a use has at most 50 lossy fields.
INSERT INTO legacy_uses (owner, key_id, call, first_used_at, last_used_at, lossy_fields)
 SELECT uses.owner, uses.key_id, uses.call, uses.first_used_at, uses.last_used_at, COALESCE(lossy.fields, '')
 FROM (SELECT owner, key_id, call, MIN(day) * 86400000000 AS first_used_at, MAX(last_used_at) AS last_used_at FROM legacy_usage GROUP BY owner, key_id, call) AS uses
 LEFT JOIN (SELECT owner, key_id, call, json_group_array(name ORDER BY name) AS fields
  FROM (SELECT owner, key_id, call, name, row_number() OVER (PARTITION BY owner, key_id, call ORDER BY name) AS place
   FROM (SELECT DISTINCT owner, key_id, call, value AS name FROM legacy_usage, json_each(NULLIF(lossy_fields, ''))) AS found) AS placed
  WHERE place <= 50 GROUP BY owner, key_id, call) AS lossy
 ON lossy.owner = uses.owner AND lossy.key_id = uses.key_id AND lossy.call = uses.call;

-- +goose Up
-- create "secret_fingerprints" table
CREATE TABLE `secret_fingerprints` (`id` text NOT NULL, `fingerprint` blob NOT NULL, `recorded_at` integer NOT NULL, PRIMARY KEY (`id`));

-- +goose Up
-- create "secret_fingerprints" table
CREATE TABLE "secret_fingerprints" ("id" character varying NOT NULL, "fingerprint" bytea NOT NULL, "recorded_at" bigint NOT NULL, PRIMARY KEY ("id"));

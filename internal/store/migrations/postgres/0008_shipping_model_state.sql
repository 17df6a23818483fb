-- +goose Up
-- modify "shipping_models" table
ALTER TABLE "shipping_models" ADD COLUMN "state" text NOT NULL DEFAULT 'active';

-- +goose Up
-- A word's key is the owner, the word and the item: its unique index becomes the primary key, and the other index goes with its column.
-- No row is read or written, so the table is locked for a moment, and running servers go on.
-- modify "item_words" table
ALTER TABLE "item_words" DROP COLUMN "id", ADD CONSTRAINT "item_words_pkey" PRIMARY KEY USING INDEX "item_words_word";
-- A program from before this one finds the words of test data by item_words.id, which PostgreSQL takes for a call of this function, and
-- removes by it: all words of an item at once, rather than each. The function takes any row, or the table could not be dropped before it.
CREATE FUNCTION "id"(anyelement) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT ($1).item_id';

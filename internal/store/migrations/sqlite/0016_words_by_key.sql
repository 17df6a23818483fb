-- +goose Up
-- A word's key is the owner, the word and the item, and the table is the tree of its key, where there were a tree of rows and an index.
-- The rows are read in the order of the key. A program from before this one finds the words of test data by their ids, and removes by
-- them: all words of an item at once, rather than each.
-- create "new_item_words" table
CREATE TABLE `new_item_words` (`owner` integer NOT NULL, `word` text NOT NULL, `item_id` integer NOT NULL, `id` integer GENERATED ALWAYS AS (`item_id`) VIRTUAL, PRIMARY KEY (`owner`, `word`, `item_id`)) WITHOUT ROWID;
-- copy rows from old table "item_words" to new temporary table "new_item_words"
INSERT INTO `new_item_words` (`owner`, `word`, `item_id`) SELECT `owner`, `word`, `item_id` FROM `item_words` ORDER BY `owner`, `word`, `item_id`;
-- drop "item_words" table after copying rows
DROP TABLE `item_words`;
-- rename temporary table "new_item_words" to "item_words"
ALTER TABLE `new_item_words` RENAME TO `item_words`;

-- +goose Up
-- create index "submissions_test" to table: "submissions"
CREATE INDEX `submissions_test` ON `submissions` (`owner`, `id`) WHERE owner % 2 = 1;
-- create index "sales_of_item" to table: "sales"
CREATE INDEX `sales_of_item` ON `sales` (`item_id`);
-- create index "sales_of_bill" to table: "sales"
CREATE INDEX `sales_of_bill` ON `sales` (`bill_id`);
-- create index "sales_of_buyer" to table: "sales"
CREATE INDEX `sales_of_buyer` ON `sales` (`buyer_id`);

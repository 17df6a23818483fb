-- The rows of a data set: {items} items from the number 1000001 on, with the owner {owner}, one every seven seconds, the last of them now.

CREATE TEMP TABLE country AS SELECT column1 AS n, column2 AS word FROM (VALUES
 (0, 'France'), (1, 'Belgique'), (2, 'Schweiz'), (3, 'Österreich'), (4, 'Italia'), (5, 'España'), (6, 'Nederland'), (7, 'Great Britain'), (8, 'Deutsches Reich'), (9, 'Monaco'), (10, 'Luxembourg'), (11, 'Danmark'), (12, 'Sverige'), (13, 'Norge'), (14, 'Portugal'), (15, 'Côte d''Ivoire'), (16, 'Madagascar'), (17, 'Tunisie'), (18, 'Canada'));
CREATE TEMP TABLE colour AS SELECT column1 AS n, column2 AS word FROM (VALUES
 (0, 'black'), (1, 'blue'), (2, 'carmine'), (3, 'orange'), (4, 'green'), (5, 'bistre'), (6, 'violet'), (7, 'vermilion'), (8, 'grey'), (9, 'brown'), (10, 'rose'));
CREATE TEMP TABLE motif AS SELECT column1 AS n, column2 AS word FROM (VALUES
 (0, 'Ceres'), (1, 'Napoleon III'), (2, 'Sage'), (3, 'Merson'), (4, 'Semeuse'), (5, 'Leopold'), (6, 'Helvetia'), (7, 'numeral'), (8, 'posthorn'), (9, 'coat of arms'), (10, 'airmail'), (11, 'Red Cross'), (12, 'commemorative sheet'));
CREATE TEMP TABLE state AS SELECT column1 AS n, column2 AS word FROM (VALUES
 (0, 'used'), (1, 'mint never hinged'), (2, 'hinged'), (3, 'on cover'), (4, 'signed, with certificate'), (5, 'first day cover'), (6, 'thin spot, fair look'));

INSERT INTO items (
 id, owner, sale_type, title, subtitle, description, personal_reference, category_id, currency,
 price, starting_price, current_price, bid_count, first_bid_at, quantity, quantity_sold, duration_days,
 starts_at, ends_at, published_at, closed_at, created_at, updated_at, renewals, renewals_left, shipping_model_id, weight_grams,
 images, options, site, status, close_reason, visit_count, sequence, run_started_at, due_at, search)
WITH RECURSIVE
 numbers(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < {items}),
 -- r is spread over 0 to 1,048,575 and the same for the same number every time.
 shaped AS MATERIALIZED (
  SELECT i, (i * 2654435761 >> 8) & 1048575 AS r, i % 10 < 3 AS auction,
   CASE WHEN i % 20 < 12 THEN 'open' WHEN i % 20 < 16 THEN 'sold' WHEN i % 20 < 19 THEN 'unsold' ELSE 'closed' END AS status,
   (unixepoch() - {items} * 7 + i * 7) * 1000000 + (i * 7919) % 5000000 AS made
  FROM numbers),
 named AS MATERIALIZED (
  SELECT shaped.*, country.word || ' ' || (1849 + r % 120) || ', ' || (1 + r % 95) || 'c ' || colour.word || ' ' || motif.word || ', ' || state.word AS title
  FROM shaped
  JOIN country ON country.n = r % 19 JOIN colour ON colour.n = r / 19 % 11
  JOIN motif ON motif.n = r / 209 % 13 JOIN state ON state.n = r / 2717 % 7)
SELECT
 1000001 + i, {owner}, iif(auction, 'auction', 'fixed_price'), title,
 iif(i % 9 = 0, 'With original gum and a photograph of the back', NULL),
 '<p>' || title || '.</p><p>Sold as seen on the picture. Several purchases are sent in one parcel; ask before you pay.</p>'
  || iif(i % 4 = 0, '<ul><li>Michel ' || (r % 900) || '</li><li>Yvert ' || (r % 700) || '</li></ul>', ''),
 'REF-' || (i % 97) || '-' || i, 1010101 + i % 3, 'EUR',
 iif(auction, NULL, 50 + r % 90000), iif(auction, 50 + r % 9000, NULL), 50 + r % 90000,
 iif(auction, r % 6, 0), iif(auction AND r % 6 > 0, made + 3600000000, NULL), iif(auction, 1, 1 + r % 5), iif(status = 'sold', 1, 0), iif(auction, 7, 28),
 NULL, made + iif(status = 'open', 3650, 28) * 86400000000, made + 1000000, iif(status = 'open', NULL, made + 28 * 86400000000), made, made + r % 900 * 1000000,
 10, 10, NULL, 20 + r % 400,
 '[{"url":"https://images.example.com/' || i || '/front.jpg","position":0,"status":"ready","width":1200,"height":900,"content_type":"image/jpeg","error_code":null},'
  || '{"url":"https://images.example.com/' || i || '/back.jpg","position":1,"status":"ready","width":1200,"height":900,"content_type":"image/jpeg","error_code":null}]',
 (r & 15) | iif(i % 9 = 0, 64, 0), 'net', status, iif(status = 'closed', 'lost', NULL), r % 500, 1, made + 1000000,
 iif(status = 'open', made + 3650 * 86400000000, NULL), search_text(title, 'REF-' || (i % 97) || '-' || i)
FROM named;

-- Two neighbours go to one buyer on one bill, unless a small seller has one of them. Each item is sold once, in the order of their numbers.
INSERT INTO buyers (id, scope, nickname, email, first_name, last_name, language, country, phone, address, rating_count, rating_sum, created_at, updated_at)
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
SELECT 70001 + i, 0, 'collector-' || i, 'collector-' || i || '@example.com', 'Léa', 'Müller-' || i, 'fr', substr('DEFRITESNLBEGBUS', i % 8 * 2 + 1, 2),
 '+32 2 555 ' || i, '', i % 40, i % 40 * 98, 0, 0 FROM n;

CREATE TEMP VIEW bought AS
SELECT *, 70001 + bill * 7919 % 10000 AS buyer,
 '{"name":"Léa Müller","line1":"Rue des Collectionneurs ' || bill || '","line2":null,"postal_code":"1000","city":"Bruxelles","state":null,"country":"BE","phone":"+32 2 555 0199"}' AS address
FROM (SELECT *, (200001 + id - 1000001 - iif((id - 1000001) % 50 < 4, 0, (id - 1000001) % 2)) AS bill FROM items);

INSERT INTO bills (id, owner, number, status, currency, buyer_id, shipping_address, subtotal, shipping_cost, payment_status, payment_method, payment_amount,
 created_at, invoiced_at, paid_at, sent_at, updated_at)
SELECT bill, owner, '2026-' || id, 'sent', currency, buyer, address, sum(current_price), 450, 'received', 'bank_transfer', sum(current_price) + 450,
 created_at, created_at, created_at, created_at, created_at FROM bought GROUP BY 1;

INSERT INTO sales (id, owner, item_id, bill_id, buyer_id, item_title, item_reference, item_category_id, item_sale_type, currency, quantity, unit_price,
 total_price, weight_grams, shipping_address, status, cancellation_status, sold_at, rated_at, created_at, updated_at, sequence)
SELECT id - 700000, owner, id, bill, buyer, title, personal_reference, category_id, sale_type, currency, 1, current_price, current_price, weight_grams,
 address, 'active', iif(id % 50 = 7, 'refused', 'none'), created_at + 3600000000, iif(id % 3 = 0, created_at + 7200000000, NULL), created_at + 3600000000,
 created_at + id % 900 * 1000000, 0 FROM bought;

-- The rows of the lists that are read by position are counted, as the service would have.
INSERT INTO list_positions (owner, list, level, bucket, n)
 WITH levels(level, shift) AS (VALUES (0, 27), (1, 37)),
 listed(owner, list, at) AS (
  SELECT owner, 'item/' || sale_type || iif(status = 'open', '/open', '/ended'), created_at FROM items WHERE status IN ('open', 'unsold', 'closed')
  UNION ALL SELECT owner, 'sale/' || item_sale_type, sold_at FROM sales)
 SELECT owner, list, level, at >> shift, count(*) FROM listed CROSS JOIN levels GROUP BY 1, 2, 3, 4;

-- The newest 20,000 items have an event each, as large as those that the service makes of such items. All are of the last days, so the feed shows them.
INSERT INTO events (id, owner, type, resource_type, resource_id, sequence, body, created_at)
 SELECT id, owner, 'item.published', 'item', id, 1, json_object('id', 'evt_' || id, 'type', 'item.published', 'api_version', 'v1', 'mode', 'live',
   'created_at', strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000000, 'unixepoch'), 'resource_id', CAST(id AS TEXT), 'sequence', 1, 'data', json_object('item', json_object(
   'id', CAST(id AS TEXT), 'url', 'https://www.delcampe.net/item/' || id, 'mode', 'live', 'sale_type', sale_type, 'title', title, 'subtitle', subtitle, 'description', description,
   'personal_reference', personal_reference, 'category_id', CAST(category_id AS TEXT), 'price', json_object('amount', price, 'currency', currency), 'quantity', quantity,
   'images', json(images), 'status', status, 'options', json_object('bold_title', json('false'), 'colored_border', json('false'), 'highlight', json('false'), 'keep_on_renewal', json('false'),
   'last_minute_bidding', json('false'), 'private_bidding', json('false'), 'top_category', json('false'), 'top_listing', json('false'), 'top_main', json('false')),
   'renewals', renewals, 'renewals_left', renewals_left, 'weight_grams', weight_grams, 'close_reason', close_reason, 'restart_count', 0, 'visit_count', visit_count))), created_at
 FROM items WHERE id >= 1000001 + {items} - 20000;

-- Owners know when their last change was: that is where after=latest begins.
UPDATE owners SET last_change_at = max(last_change_at, (SELECT max(created_at) FROM events WHERE owner = owners.id))
 WHERE id IN (SELECT owner FROM events);

INSERT INTO number_ranges (id, next) VALUES ('item', 1000001 + {items}) ON CONFLICT (id) DO UPDATE SET next = 1000001 + {items};

INSERT INTO items (
 id, owner, sale_type, title, subtitle, description, personal_reference, category_id, currency,
 price, starting_price, current_price, bid_count, first_bid_at, quantity, quantity_sold, duration_days,
 starts_at, ends_at, published_at, closed_at, created_at, updated_at, renewals, renewals_left, shipping_model_id, weight_grams,
 images, options, site, status, close_reason, visit_count, sequence, run_started_at, due_at, search)
WITH RECURSIVE
 numbers(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < %[1]d),
 -- r is spread over 0 to 1,048,575 and the same for the same number every time.
 shaped AS MATERIALIZED (
  SELECT i, (i * 2654435761 >> 8) & 1048575 AS r, i %% 10 < 3 AS auction,
   CASE WHEN i %% 20 < 12 THEN 'open' WHEN i %% 20 < 16 THEN 'sold' WHEN i %% 20 < 19 THEN 'unsold' ELSE 'closed' END AS status,
   (%[3]s + i * 7) * 1000000 + (i * 7919) %% 5000000 AS made
  FROM numbers),
 named AS MATERIALIZED (
  SELECT shaped.*, country.word || ' ' || (1849 + r %% 120) || ', ' || (1 + r %% 95) || 'c ' || colour.word || ' ' || motif.word || ', ' || state.word AS title
  FROM shaped
  JOIN country ON country.n = r %% 19 JOIN colour ON colour.n = r / 19 %% 11
  JOIN motif ON motif.n = r / 209 %% 13 JOIN state ON state.n = r / 2717 %% 7)
SELECT
 1000001 + i, %[2]s, iif(auction, 'auction', 'fixed_price'), title,
 iif(i %% 9 = 0, 'With original gum and a photograph of the back', NULL),
 '<p>' || title || '.</p><p>Sold as seen on the picture. Several purchases are sent in one parcel; ask before you pay.</p>'
  || iif(i %% 4 = 0, '<ul><li>Michel ' || (r %% 900) || '</li><li>Yvert ' || (r %% 700) || '</li></ul>', ''),
 'REF-' || (i %% 97) || '-' || i, 1010101 + i %% 3, 'EUR',
 iif(auction, NULL, 50 + r %% 90000), iif(auction, 50 + r %% 9000, NULL), 50 + r %% 90000,
 iif(auction, r %% 6, 0), iif(auction AND r %% 6 > 0, made + 3600000000, NULL), iif(auction, 1, 1 + r %% 5), iif(status = 'sold', 1, 0), iif(auction, 7, 28),
 NULL, made + iif(status = 'open', 3650, 28) * 86400000000, made + 1000000, iif(status = 'open', NULL, made + 28 * 86400000000), made, made + r %% 900 * 1000000,
 10, 10, NULL, 20 + r %% 400,
 '[{"url":"https://images.example.com/' || i || '/front.jpg","position":0,"status":"ready","width":1200,"height":900,"content_type":"image/jpeg","error_code":null},'
  || '{"url":"https://images.example.com/' || i || '/back.jpg","position":1,"status":"ready","width":1200,"height":900,"content_type":"image/jpeg","error_code":null}]',
 (r & 15) | iif(i %% 9 = 0, 64, 0), 'net', status, iif(status = 'closed', 'lost', NULL), r %% 500, 1, made + 1000000,
 iif(status = 'open', made + 3650 * 86400000000, NULL), search_text(title, 'REF-' || (i %% 97) || '-' || i)
FROM named

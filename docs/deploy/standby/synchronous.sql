-- Run at the primary when the standby follows: psql -U postgres -f synchronous.sql
-- From then on no change is acknowledged that the standby has not stored. The primary's own name in the list does no harm.
ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (db_1, db_2)';
SELECT pg_reload_conf();

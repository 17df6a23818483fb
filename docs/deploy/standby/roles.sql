-- Run once at the first primary, with passwords of your own: psql -U postgres -f roles.sql
CREATE ROLE sellerd LOGIN PASSWORD 'PASSWORD-OF-SELLERD';
CREATE ROLE replicator LOGIN REPLICATION PASSWORD 'PASSWORD-OF-REPLICATOR';

-- What pg_rewind reads, and the checkpoint before it (PostgreSQL 15 and newer).
GRANT EXECUTE ON FUNCTION pg_catalog.pg_ls_dir(text, boolean, boolean) TO replicator;
GRANT EXECUTE ON FUNCTION pg_catalog.pg_stat_file(text, boolean) TO replicator;
GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_binary_file(text) TO replicator;
GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_binary_file(text, bigint, bigint, boolean) TO replicator;
GRANT pg_checkpoint TO replicator;

CREATE DATABASE sellerd OWNER sellerd;

-- Run once, as the user postgres at the primary: psql -f roles.sql. Patroni makes its own roles.
CREATE ROLE sellerd LOGIN PASSWORD 'PASSWORD-OF-SELLERD';
CREATE DATABASE sellerd OWNER sellerd;

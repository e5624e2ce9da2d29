-- Two roles for a shared ledger, so that a node has only the rights that it needs:
--   roost_owner   makes and changes the tables (roost ledger migrate); nothing else logs in as it
--   roost_node    what the nodes log in as: it reads and writes rows, and can neither make nor change nor drop a table
-- Run it in the ledger's database as a superuser:
--   psql -U postgres -d roost -f roles.sql
-- Running it again changes nothing. Set the passwords separately, so that they are in no file: \password roost_owner, \password roost_node

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'roost_owner') THEN
        CREATE ROLE roost_owner LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'roost_node') THEN
        CREATE ROLE roost_node LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
    END IF;
    -- environments of runs, which may hold secrets, are in this database: no other role may connect
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO roost_owner, roost_node', current_database());
END $$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO roost_owner;
GRANT USAGE ON SCHEMA public TO roost_node;

-- for tables that roost_owner will make …
ALTER DEFAULT PRIVILEGES FOR ROLE roost_owner IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO roost_node;
ALTER DEFAULT PRIVILEGES FOR ROLE roost_owner IN SCHEMA public
    GRANT USAGE ON SEQUENCES TO roost_node;

-- … and for existing tables. (Transfer tables of another role to it first:
-- REASSIGN OWNED BY that_role TO roost_owner; then run this again.)
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO roost_node;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO roost_node;

-- only the owner may record schema versions
DO $$
BEGIN
    IF to_regclass('public.flyway_schema_history') IS NOT NULL THEN
        REVOKE INSERT, UPDATE, DELETE ON public.flyway_schema_history FROM roost_node;
    END IF;
END $$;

#!/bin/sh
# Runs once, as the superuser, when PostgreSQL makes its data folder. The application connects as `inbox`, which owns
# its database and may do nothing else on the server; its requests run as `kobana_app`, which owns nothing, and to
# which row-level security applies. The superuser's password is in no container but PostgreSQL's.
set -eu

psql --no-psqlrc -v ON_ERROR_STOP=1 -v password="$(cat "${INBOX_PASSWORD_FILE:-/run/secrets/inbox-password}")" \
  --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
create role kobana_app nologin noinherit nobypassrls;
create role inbox login password :'password' nosuperuser nocreatedb nocreaterole nobypassrls;
grant kobana_app to inbox;
create database inbox owner inbox;
revoke connect on database inbox from public;
SQL

-- Tokens of the API. A token itself is never stored: its SHA-256 finds it.

create table tokens (
  digest text collate "C" primary key check (digest ~ '^[0-9a-f]{64}$'),
  name text collate "C" not null,
  role text not null check (role in ('read', 'operate')),
  created_at bigint not null,
  created_by text not null,
  expires_at bigint,
  last_used_at bigint,
  revoked_at bigint
);

create unique index tokens_one_valid_per_name on tokens (name) where revoked_at is null;

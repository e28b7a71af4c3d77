-- Times are milliseconds since the epoch, as in the core, and always come from the caller.
-- Keys sort by bytes (collate "C"), so that an order is the same on every server.

create table deliveries (
  guid text collate "C" primary key,
  event text not null,
  received_at bigint not null,
  body text not null,
  settled_at bigint,
  result text check (result in ('applied', 'ignored', 'refused')),
  why text,
  constraint deliveries_settled_or_not check ((settled_at is null) = (result is null) and (result is not null or why is null))
);

create index deliveries_pending on deliveries (received_at, guid) where settled_at is null;
create index deliveries_by_age on deliveries (received_at);

create table jobs (
  id bigint primary key,
  run_id bigint not null,
  run_attempt integer not null,
  repository text collate "C" not null,
  workflow text not null,
  name text not null,
  labels text[] not null,
  scope text collate "C" not null,
  queued_at bigint not null,
  generation integer not null check (generation > 0),
  recoveries integer not null check (recoveries >= 0),
  state text not null,
  not_before bigint,
  slot text collate "C",
  claimed_at bigint,
  minted_at bigint,
  runner_id bigint,
  runner_name text collate "C",
  started_at bigint,
  conclusion text,
  finished_at bigint,
  constraint jobs_state_has_its_columns check (
    case state
      when 'queued' then not_before is not null
        and num_nonnulls(slot, claimed_at, minted_at, runner_id, runner_name, started_at, conclusion, finished_at) = 0
      when 'claimed' then num_nonnulls(slot, claimed_at) = 2
        and num_nonnulls(not_before, minted_at, runner_id, runner_name, started_at, conclusion, finished_at) = 0
      when 'minted' then num_nonnulls(slot, minted_at) = 2
        and num_nonnulls(not_before, claimed_at, runner_id, runner_name, started_at, conclusion, finished_at) = 0
      when 'executing' then num_nonnulls(runner_name, started_at) = 2
        and num_nonnulls(not_before, slot, claimed_at, minted_at, conclusion, finished_at) = 0
      when 'finished' then num_nonnulls(conclusion, finished_at) = 2
        and num_nonnulls(not_before, slot, claimed_at, minted_at, started_at) = 0
        and (runner_name is not null or runner_id is null)
      else false
    end
  ),
  -- A swap of intents passes the slot from one job to the other in one statement: the check waits for its end.
  constraint jobs_one_per_slot exclude using btree (slot with =)
    where (state in ('claimed', 'minted')) deferrable initially immediate
);

create index jobs_queued on jobs (scope, repository, queued_at, id) where state = 'queued';
create index jobs_under_way on jobs (scope, repository) where state in ('claimed', 'minted', 'executing');
create index jobs_finished_by_age on jobs (finished_at) where state = 'finished';

create table slots (
  uid text collate "C" primary key,
  namespace text not null,
  pod text not null,
  scope text collate "C" not null,
  node text,
  appeared_at bigint not null,
  generation integer not null check (generation > 0),
  state text not null,
  intended bigint,
  claimed_at bigint,
  runner_id bigint,
  runner_name text collate "C",
  minted_at bigint,
  executing bigint,
  started_at bigint,
  executed bigint,
  ended_at bigint,
  constraint slots_state_has_its_columns check (
    case state
      when 'warm' then
        num_nonnulls(intended, claimed_at, runner_id, runner_name, minted_at, executing, started_at, executed, ended_at) = 0
      when 'claimed' then num_nonnulls(intended, claimed_at) = 2
        and num_nonnulls(runner_id, runner_name, minted_at, executing, started_at, executed, ended_at) = 0
      when 'minted' then num_nonnulls(runner_name, minted_at) = 2
        and num_nonnulls(claimed_at, executing, started_at, executed, ended_at) = 0
      when 'registered' then num_nonnulls(runner_name, minted_at) = 2
        and num_nonnulls(claimed_at, executing, started_at, executed, ended_at) = 0
      when 'executing' then num_nonnulls(runner_name, executing, started_at) = 3
        and num_nonnulls(intended, claimed_at, minted_at, executed, ended_at) = 0
      when 'ended' then ended_at is not null
        and num_nonnulls(claimed_at, minted_at, executing, started_at) = 0
        and (runner_name is not null or runner_id is null)
      when 'lost' then ended_at is not null
        and num_nonnulls(claimed_at, minted_at, executing, started_at) = 0
        and (runner_name is not null or runner_id is null)
      else false
    end
  ),
  constraint slots_one_per_job exclude using btree (intended with =)
    where (state in ('claimed', 'minted', 'registered')) deferrable initially immediate
);

create index slots_live on slots (scope, appeared_at, uid) where state not in ('ended', 'lost');
create index slots_by_runner_name on slots (runner_name) where runner_name is not null;
create index slots_gone_by_age on slots (ended_at) where state in ('ended', 'lost');

create table job_events (
  job bigint not null,
  generation integer not null,
  from_state text,
  to_state text not null,
  at bigint not null,
  event json not null,
  primary key (job, generation)
);

create table postmortems (
  uid text collate "C" primary key,
  namespace text not null,
  pod text not null,
  node text,
  scope text,
  job bigint,
  died_at bigint not null,
  recorded_at bigint not null,
  cause text,
  confidence double precision,
  rules text,
  judged_at bigint,
  verdict json,
  constraint postmortems_judged_or_not check (num_nonnulls(cause, confidence, rules, judged_at, verdict) in (0, 5))
);

create index postmortems_by_death on postmortems (died_at, uid);
create index postmortems_by_age on postmortems (recorded_at, uid);

create table evidence (
  uid text collate "C" not null references postmortems on delete cascade,
  source text collate "C" not null,
  observed text not null check (observed in ('seen', 'none', 'blind')),
  reason text,
  -- gzip; PostgreSQL need not try to compress it again.
  content bytea,
  stored_bytes bigint not null generated always as (coalesce(octet_length(content), 0)) stored,
  primary key (uid, source)
);

alter table evidence alter column content set storage external;

create table ledger (
  id bigint generated always as identity primary key,
  at bigint not null,
  act text not null,
  subject text not null,
  actor text not null,
  outcome text not null check (outcome in ('permitted', 'refused', 'done', 'failed')),
  proofs json not null
);

create index ledger_by_age on ledger (at, id);
create index ledger_by_subject on ledger (subject, at, id);

create table findings (
  audit text collate "C" not null,
  key text collate "C" not null,
  class text not null,
  severity text not null,
  document json not null,
  first_seen_at bigint not null,
  last_seen_at bigint not null,
  primary key (audit, key)
);

create table breakers (
  key text collate "C" primary key,
  generation integer not null check (generation > 0),
  failures integer not null,
  open_until bigint,
  why text,
  changed_at bigint not null
);

create table leases (
  name text primary key,
  holder text not null,
  epoch bigint not null,
  renewed_at bigint not null
);

-- History is written once. Retention alone may take it away, and says so in its transaction.
create function refuse_to_rewrite() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('signalbox.retention', true) = 'on' then
    return null;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end
$$;

create trigger job_events_append_only before update or delete or truncate on job_events
  for each statement execute function refuse_to_rewrite();
create trigger ledger_append_only before update or delete or truncate on ledger
  for each statement execute function refuse_to_rewrite();

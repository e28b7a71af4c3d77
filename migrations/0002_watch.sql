-- What a flight recorder needs beside the post-mortem itself: whom it concerns, what was alive when we last looked, and
-- whom we have told.

alter table postmortems
  add column pool text,
  add column repository text,
  add column runner text,
  add column kind text,
  -- We were not looking when it went.
  add column missed boolean not null default false;

alter table postmortems drop constraint postmortems_judged_or_not;
update postmortems set kind = 'unknown' where cause is not null;
alter table postmortems
  add constraint postmortems_judged_or_not check (num_nonnulls(cause, confidence, rules, judged_at, verdict, kind) in (0, 6));

create index postmortems_by_pod on postmortems (pod, died_at, uid);
create index postmortems_by_runner on postmortems (runner, died_at, uid) where runner is not null;
create index postmortems_by_job on postmortems (job) where job is not null;

-- The same source seen again, later and more completely, replaces what was seen first.
alter table evidence add column revision integer not null default 0;

create table sightings (
  uid text collate "C" primary key,
  namespace text not null,
  pod text not null,
  node text,
  pool text,
  seen_at bigint not null,
  -- gzip of the object's JSON.
  object bytea not null
);

alter table sightings alter column object set storage external;

create table notices (
  channel text collate "C" not null,
  key text collate "C" not null,
  at bigint not null,
  primary key (channel, key)
);

create index notices_by_age on notices (at, channel, key);

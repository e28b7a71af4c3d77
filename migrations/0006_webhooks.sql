-- What became of a delivery, in the words of docs/webhooks.md; and what a delivery that is not settled waits for.

alter table deliveries
  drop constraint deliveries_settled_or_not,
  drop constraint deliveries_result_check;
alter table deliveries rename column result to outcome;
alter table deliveries
  add column job bigint,
  add column repository text,
  add column attempts integer not null default 0 check (attempts >= 0),
  add column next_attempt_at bigint not null default 0;

update deliveries set outcome = case outcome when 'ignored' then 'no-pool' when 'refused' then 'parked' else outcome end
where outcome in ('ignored', 'refused');

alter table deliveries
  alter column attempts drop default,
  alter column next_attempt_at drop default,
  add constraint deliveries_settled_or_not check ((settled_at is null) = (outcome is null)),
  add constraint deliveries_outcome_check check (outcome in (
    'applied', 'duplicate', 'no-installation', 'no-pool', 'ambiguous-pool', 'unknown-runner', 'stale', 'parked'
  ));

create index deliveries_pending_of_job on deliveries (job, received_at, guid) where settled_at is null;
create index deliveries_by_outcome on deliveries (outcome, received_at, guid) where settled_at is not null;

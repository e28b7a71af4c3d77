-- One row per attempt. It says how far the attempt got, and only moves forward: planned, by steps, to one end.

drop trigger ledger_append_only on ledger;
drop index ledger_by_subject;

alter table ledger drop constraint ledger_outcome_check;
alter table ledger rename column subject to subject_name;
alter table ledger rename column proofs to gates;
alter table ledger
  add column subject_kind text not null default '',
  add column subject_namespace text,
  add column subject_uid text,
  add column policy text,
  add column loop text,
  add column command text,
  add column decided_by text,
  add column evidence text,
  add column epoch bigint,
  add column why text,
  add column ended_at bigint,
  add column run text not null default '',
  add column scale_set text,
  add column places integer not null default 1 check (places >= 0),
  add column steps jsonb not null default '[]';

-- Nothing wrote to the table before; what is there by other hands must not look like an attempt that is under way.
update ledger set command = '', ended_at = at, outcome = case outcome when 'permitted' then 'failed' else outcome end,
  decided_by = case outcome when 'refused' then '' end;

alter table ledger
  alter column subject_kind drop default,
  alter column run drop default,
  alter column places drop default,
  alter column steps drop default,
  add constraint ledger_outcome_check check (outcome in ('planned', 'refused', 'done', 'failed', 'vanished')),
  add constraint ledger_ended_or_not check ((outcome = 'planned') = (ended_at is null)),
  add constraint ledger_refused_by_a_gate check ((outcome = 'refused') = (decided_by is not null)),
  add constraint ledger_one_origin check (num_nonnulls(policy, loop, command) = 1);

create index ledger_by_name on ledger (subject_name, at, id);
create index ledger_by_act on ledger (act, at, id);
create index ledger_by_actor on ledger (actor, at, id);
create index ledger_by_outcome on ledger (outcome, at, id);
create index ledger_by_run on ledger (run);
create index ledger_under_way_in_set on ledger (scale_set) where outcome = 'planned';
-- What was deleted once is not deleted again.
create index ledger_done on ledger (act, subject_uid) where outcome = 'done';
-- The same act on the same subject: one at a time. A digest, because an index has a limit on the length of its texts.
create unique index ledger_one_under_way on ledger (
  act,
  md5(coalesce(subject_uid, subject_kind || '/' || coalesce(subject_namespace, '') || '/' || subject_name))
) where outcome = 'planned';

create trigger ledger_append_only before delete or truncate on ledger
  for each statement execute function refuse_to_rewrite();

create function refuse_to_move_back() returns trigger language plpgsql as $$
declare
  known constant integer := jsonb_array_length(old.steps);
  is_longer constant boolean := jsonb_array_length(new.steps) = known + 1;
  begins_alike constant boolean := not exists (
    select from generate_series(0, known - 1) as nth where new.steps -> nth is distinct from old.steps -> nth);
begin
  if old.outcome = 'planned' and is_longer and begins_alike
    and (old.evidence is null or new.evidence is not distinct from old.evidence)
    and (new.id, new.at, new.act, new.subject_kind, new.subject_namespace, new.subject_name, new.subject_uid)
      is not distinct from
      (old.id, old.at, old.act, old.subject_kind, old.subject_namespace, old.subject_name, old.subject_uid)
    and (new.policy, new."loop", new.command, new.actor, new.epoch, new.run, new.scale_set, new.places)
      is not distinct from
      (old.policy, old."loop", old.command, old.actor, old.epoch, old.run, old.scale_set, old.places)
  then
    return new;
  end if;
  raise exception 'ledger is append-only: an attempt only moves forward' using errcode = 'restrict_violation';
end
$$;

create trigger ledger_moves_forward before update on ledger for each row execute function refuse_to_move_back();

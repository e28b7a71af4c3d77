-- Each verdict that another one replaced, as it was.
create table verdicts (
  id bigint generated always as identity primary key,
  uid text collate "C" not null references postmortems on delete cascade,
  judged_at bigint not null,
  rules text not null,
  cause text not null,
  kind text not null,
  confidence double precision not null,
  document json not null
);

create index verdicts_of_death on verdicts (uid, id);

create trigger verdicts_append_only before update or delete or truncate on verdicts
  for each statement execute function refuse_to_rewrite();

-- A trigger, because two that judge at once must not lose the verdict of the first.
create function keep_replaced_verdict() returns trigger language plpgsql as $$
begin
  insert into verdicts (uid, judged_at, rules, cause, kind, confidence, document)
  values (old.uid, old.judged_at, old.rules, old.cause, old.kind, old.confidence, old.verdict);
  return null;
end
$$;

create trigger postmortems_keep_verdict after update of cause, rules, judged_at on postmortems
  for each row
  when (old.cause is not null and (old.judged_at, old.rules, old.cause) is distinct from (new.judged_at, new.rules, new.cause))
  execute function keep_replaced_verdict();

type Row = { readonly attempt: string; readonly who: string; readonly deny: string; readonly why: string }

/** What docs/guard.md says of each attempt; the suite tries it before it prints it. */
const ATTEMPTS = {
  forced: { attempt: '`kubectl delete pod --force --grace-period=0`', who: 'anybody', deny: 'refused', why: 'policy' },
  selected: {
    attempt: '`kubectl delete pods -l …`',
    who: 'anybody',
    deny: 'refused',
    why: 'policy, for each runner that works',
  },
  collection: {
    attempt: '`deletecollection` (one request for many)',
    who: 'anybody',
    deny: 'refused',
    why: 'policy, for each runner that works; others of the collection may go',
  },
  record: { attempt: '`kubectl delete ephemeralrunner`', who: 'anybody', deny: 'refused', why: 'policy' },
  drain: { attempt: '`kubectl drain`', who: 'anybody', deny: 'delayed until the job has ended', why: 'budget' },
  'drain-after': {
    attempt: '`kubectl drain` after the job has ended',
    who: 'anybody',
    deny: 'goes through',
    why: 'the stamp is gone',
  },
  preemption: {
    attempt: 'preemption by a pod of higher priority',
    who: 'kube-scheduler',
    deny: 'refused; the other pod waits',
    why: 'policy',
  },
  'break-glass': {
    attempt: 'the same with the annotation `signalbox.dev/break-glass`',
    who: 'anybody',
    deny: 'goes through',
    why: 'break-glass: recorded in the ledger',
  },
  namespace: {
    attempt: '`kubectl delete namespace`',
    who: 'namespace controller',
    deny: 'exempt: the runner goes',
    why: 'a namespace that is being deleted would never end',
  },
  node: {
    attempt: '`kubectl delete node`',
    who: 'pod garbage collector',
    deny: 'exempt: the runner goes',
    why: 'its node is gone',
  },
} as const satisfies Readonly<Record<string, Row>>

export type Attempt = keyof typeof ATTEMPTS

export function printAttempts(tried: readonly Attempt[]): string {
  const rows = tried.map((one) => {
    const { attempt, who, deny, why } = ATTEMPTS[one]
    return `| ${attempt} | ${who} | ${deny} | ${why} |\n`
  })
  return `| attempt | by | a working runner, in the mode deny | by what |\n| --- | --- | --- | --- |\n${rows.join('')}`
}

import type { Observed } from '#/core/basics/observed.ts'
import type { Bundle } from '#/ports/bundle.ts'

/** One row for each source of the contract: where it is, how it is read, and what it looks like. */
export type SourceCase = {
  readonly source: string
  readonly path: string
  readonly read: (bundle: Bundle) => Promise<Observed<unknown>>
  readonly full: string
  /** Null where the tool never prints an empty answer. */
  readonly empty: string | null
  /** A part that is recognizably truncated; null for plain text, which looks the same. */
  readonly truncated: string | null
  /** Null for plain text, which is never malformed. */
  readonly malformed: string | null
}

const HTML = '<html><body>502 Bad Gateway</body></html>'
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'runner-1', namespace: 'runners', uid: 'u-1' } }
const LINE = JSON.stringify({ __REALTIME_TIMESTAMP: '1794775118692946', MESSAGE: 'x' })
const list = (items: readonly unknown[], metadata: object = {}): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'List', items, metadata })

const JSON_OBJECT = { full: '{"a":1}', empty: null, truncated: '{"a":', malformed: HTML }
const TEXT = { full: 'one\ntwo\n', empty: '', truncated: null, malformed: null }
const ROWS = { full: '[{"id":1}]', empty: '[]', malformed: '[1]' }

export const SOURCE_CASES: readonly SourceCase[] = [
  {
    source: 'kubernetes/pods',
    path: 'kubernetes/pods.json',
    read: (bundle) => bundle.list('pods'),
    full: list([POD]),
    empty: list([]),
    truncated: list([POD], { continue: 'more' }),
    malformed: '{"items":[{"kind":"Pod"}]}',
  },
  {
    source: 'kubernetes/events',
    path: 'kubernetes/events.json',
    read: (bundle) => bundle.list('events'),
    full: list([POD]),
    empty: list([]),
    truncated: list([POD], { remainingItemCount: 7 }),
    malformed: HTML,
  },
  {
    source: 'kubernetes/audit',
    path: 'kubernetes/audit.jsonl',
    read: (bundle) => bundle.auditLog(),
    full: '{"kind":"Event"}\n',
    empty: '',
    truncated: '{"kind":"Event"}\n{"kind":',
    malformed: `${HTML}\n`,
  },
  {
    source: 'kubernetes/stats/node-1',
    path: 'kubernetes/stats/node-1.json',
    read: (bundle) => bundle.stats('node-1'),
    ...JSON_OBJECT,
  },
  {
    source: 'kubernetes/configz/node-1',
    path: 'kubernetes/configz/node-1.json',
    read: (bundle) => bundle.configz('node-1'),
    ...JSON_OBJECT,
  },
  {
    source: 'logs/runners/runner-1/runner',
    path: 'logs/runners/runner-1/runner.log',
    read: (bundle) => bundle.log({ namespace: 'runners', pod: 'runner-1', container: 'runner', previous: false }),
    ...TEXT,
  },
  {
    source: 'logs/runners/runner-1/runner',
    path: 'logs/runners/runner-1/runner.previous.log',
    read: (bundle) => bundle.log({ namespace: 'runners', pod: 'runner-1', container: 'runner', previous: true }),
    ...TEXT,
  },
  {
    source: 'journal/node-1',
    path: 'journal/node-1.jsonl',
    read: (bundle) => bundle.journal('node-1', {}),
    full: `${LINE}\n`,
    empty: '',
    truncated: `${LINE}\n${LINE.slice(0, 20)}`,
    malformed: `${HTML}\n`,
  },
  {
    source: 'journal/node-1',
    path: 'journal/node-1.log',
    read: (bundle) => bundle.journal('node-1', {}),
    full: '2026-11-15T20:38:00+0000 node-1 kernel: x\n',
    empty: '-- No entries --\n',
    truncated: '2026-11-15T20:38:00+0000 node-1 kernel: x\n2026-11-15T20:38:0',
    malformed: `${HTML}\n`,
  },
  {
    source: 'cgroup',
    path: 'cgroup/runners/runner-1/memory.events',
    read: (bundle) => bundle.cgroup({ namespace: 'runners', pod: 'runner-1', container: null }),
    ...TEXT,
  },
  {
    source: 'processes',
    path: 'processes/runners/runner-1.txt',
    read: (bundle) => bundle.processes('runners', 'runner-1'),
    ...TEXT,
  },
  {
    source: 'host/box-1',
    path: 'host/box-1/proc/sys/fs/file-nr',
    read: (bundle) => bundle.hostFile('box-1', 'proc/sys/fs/file-nr'),
    ...TEXT,
  },
  { source: 'github/jobs', path: 'github/jobs/7.json', read: (bundle) => bundle.githubJob(7), ...JSON_OBJECT },
  { source: 'github/runs', path: 'github/runs/7.json', read: (bundle) => bundle.githubRun(7), ...JSON_OBJECT },
  {
    source: 'github/annotations',
    path: 'github/annotations/7.json',
    read: (bundle) => bundle.githubAnnotations(7),
    ...ROWS,
    truncated: '[{"id":1},',
  },
  { source: 'github/logs', path: 'github/logs/7.log', read: (bundle) => bundle.githubLog(7), ...TEXT },
  {
    source: 'github/runners',
    path: 'github/runners.json',
    read: (bundle) => bundle.githubRunners(),
    full: '{"total_count":1,"runners":[{"id":1,"name":"r","status":"online","busy":false}]}',
    empty: '{"total_count":0,"runners":[]}',
    truncated: '{"total_count":31,"runners":[{"id":1,"name":"r","status":"online","busy":false}]}',
    malformed: '{"message":"Not Found"}',
  },
  {
    source: 'github/queued-jobs',
    path: 'github/queued-jobs.json',
    read: (bundle) => bundle.githubQueuedJobs(),
    ...ROWS,
    full: '[{"id":1,"status":"queued"}]',
    truncated: '{"total_count":31,"jobs":[{"id":1,"status":"queued"}]}',
  },
  {
    source: 'github/rate-limit',
    path: 'github/rate-limit.json',
    read: (bundle) => bundle.githubRateLimit(),
    ...JSON_OBJECT,
  },
  { source: 'gitlab/config', path: 'gitlab/config.toml', read: (bundle) => bundle.gitlabConfig(), ...TEXT },
  {
    source: 'gitlab/runners',
    path: 'gitlab/runners.json',
    read: (bundle) => bundle.gitlabRunners(),
    ...ROWS,
    truncated: '[{"id":1}',
  },
  {
    source: 'fleet',
    path: 'fleet.yaml',
    read: (bundle) => bundle.fleet(),
    full: 'lanes:\n  - label: x\n',
    empty: '',
    truncated: 'lanes: [',
    malformed: '- just\n- a list\n',
  },
]

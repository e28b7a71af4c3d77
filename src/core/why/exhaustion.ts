import type { Dossier } from '#/core/why/dossier.ts'
import { fieldFact } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import { counters } from '#/core/why/memory.ts'

/** Facts about resources that the node ran short of. */

const NEARLY_ALL = 0.98
const FULL_PERCENT = 99

export function refusedForks({ cgroups }: Dossier): readonly Fact[] {
  return cgroups.flatMap(({ container, files }) => {
    const refused = counters(files.get('pids.events') ?? '').get('max') ?? 0
    return refused > 0
      ? [
          fieldFact({
            is: 'forks-refused',
            source: 'cgroup',
            at: null,
            text: `the cgroup of ${container ?? 'the runner'} refused ${refused} new processes`,
          }),
        ]
      : []
  })
}

/** The fields are allocated, free, maximum: the table is full when allocated is near the maximum. */
export function fullFileTable({ host, subject }: Dossier): readonly Fact[] {
  const [used = 0, , most = 0] = (host.get('proc/sys/fs/file-nr') ?? '').trim().split(/\s+/).map(Number)
  if (!(most > 0) || used < NEARLY_ALL * most) return []
  return [
    fieldFact({
      is: 'file-table',
      source: `host/${subject.node}`,
      at: null,
      about: 'node',
      text: `the file table holds ${used} of ${most}`,
    }),
  ]
}

export function fullDisks({ host, subject }: Dossier): readonly Fact[] {
  return ['df', 'df-i'].flatMap((name) =>
    (host.get(name) ?? '').split('\n').flatMap((line) => {
      const percent = /\s(?<percent>\d{1,3})%\s+(?<mount>\/\S*)$/.exec(line)?.groups
      if (percent === undefined || Number(percent['percent']) < FULL_PERCENT) return []
      return [
        fieldFact({
          is: 'disk-full',
          source: `host/${subject.node}`,
          at: null,
          about: 'node',
          text: `${name}: ${percent['mount']} is ${percent['percent']} % full`,
        }),
      ]
    }),
  )
}

/** What GitHub itself answered: the runner prints it as a connect error, but it got through. A proxy's refusal names the proxy. */
const ANSWERED =
  /connect error: (?:Error: (?:BadRequest|Unauthorized|Forbidden|NotFound|Conflict|Gone|TooManyRequests)\b|.*(?:already has an active session|not authorized to access|needs \w+ permissions|Registration .{0,40}was not found|registration not found|is deprecated|rate limit|clock may be out of sync|does not indicate success: 4\d\d))/i

/** The runner or its machine could not even try: each has a cause of its own. */
const NOT_TRIED =
  /connect error: .*(?:Too many open files|No space left on device|Disk quota exceeded|Cannot allocate memory)/i

/** Disconnected from GitHub for good: a later renewal or reconnection refutes it. */
export function unreachable(d: Dossier): readonly Fact[] {
  const back = d.subjectClues('github-reached-again', 'lock-renewed').at(-1)
  return d.subjectClues('github-unreachable').filter(({ at, order, text }) => {
    if (!/Runner connect error/.test(text) || ANSWERED.test(text) || NOT_TRIED.test(text)) return false
    return back === undefined || (at ?? 0) > (back.at ?? 0) || order > back.order
  })
}

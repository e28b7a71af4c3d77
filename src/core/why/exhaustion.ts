import type { Dossier } from '#/core/why/dossier.ts'
import { fieldFact } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import { counters } from '#/core/why/memory.ts'

/** Facts about resources that the node ran short of. */

const GAP_MS = 120_000
const PRESSED_PERCENT = 40
const NEARLY_ALL = 0.98
const FULL_PERCENT = 99

/** The lock is renewed every minute: two minutes without a renewal, with a later sign of life, are a gap. */
export function renewalGaps(d: Dossier): readonly Fact[] {
  const renewals = d.subjectClues('lock-renewed')
  return renewals.flatMap((fact, index) => {
    const next = renewals[index + 1]?.at ?? d.log?.lastAt ?? null
    if (fact.at === null || next === null || next - fact.at < GAP_MS) return []
    return [
      {
        ...fact,
        is: 'renewal-gap',
        text: `no lock renewal for ${Math.round((next - fact.at) / 1000)} s while the runner was alive`,
      },
    ]
  })
}

export function pressure({ vitals, log, cgroups }: Dossier): readonly Fact[] {
  const worst = vitals.filter(({ cpuPressure, ioPressure, memoryPressure }) =>
    [cpuPressure, ioPressure, memoryPressure].some((value) => (value ?? 0) >= PRESSED_PERCENT),
  )
  const last = worst.at(-1)
  const sampled =
    last === undefined
      ? []
      : [
          fieldFact({
            is: 'pressure',
            source: log?.source ?? 'logs',
            at: last.at,
            text: `vitals: pressure cpu ${last.cpuPressure} %, io ${last.ioPressure} %, memory ${last.memoryPressure} % (${worst.length} samples)`,
          }),
        ]
  return [
    ...sampled,
    ...cgroups.flatMap(({ files }) =>
      ['cpu.pressure', 'io.pressure', 'memory.pressure'].flatMap((name) => {
        const average = Number(
          /^full avg10=(?<average>[\d.]+)/m.exec(files.get(name) ?? '')?.groups?.['average'] ?? '0',
        )
        return average >= PRESSED_PERCENT
          ? [
              fieldFact({
                is: 'pressure',
                source: 'cgroup',
                at: null,
                text: `${name}: all processes waited ${average} % of the last ten seconds`,
              }),
            ]
          : []
      }),
    ),
  ]
}

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

/** Disconnected from GitHub for good: a later renewal or reconnection refutes it. */
export function unreachable(d: Dossier): readonly Fact[] {
  const back = d.subjectClues('github-reached-again', 'lock-renewed').at(-1)
  return d.subjectClues('github-unreachable').filter(({ at, order, text }) => {
    if (!/Runner connect error/.test(text)) return false
    return back === undefined || (at ?? 0) > (back.at ?? 0) || order > back.order
  })
}

import type { Dossier } from '#/core/why/dossier.ts'
import { byTime, fieldFact } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import { isRunnerSurely } from '#/core/kubernetes/runner-container.ts'

/** Facts about a runner that was alive and came too late. */

const GAP_MS = 120_000
const PRESSED_PERCENT = 40
const AROUND_MS = 120_000
/** GitHub gives a silent runner up after ten minutes, and says so a little later. */
const SILENCE_MS = 900_000

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

const STALLS: ReadonlySet<string> = new Set(['soft-lockup', 'rcu-stall', 'task-hung', 'pleg-unhealthy', 'node-slow'])

/** What the node logged while GitHub heard nothing of the runner; without that time, what it logged near the end. */
export function stalls(d: Dossier): readonly Fact[] {
  const silence = findSilence(d)
  if (silence === null) return d.nodeClues(...STALLS)
  return d.clues
    .filter(
      ({ is, at }) => STALLS.has(is) && at !== null && at >= silence.from - AROUND_MS && at <= silence.to + AROUND_MS,
    )
    .toSorted(byTime)
}

/** Processes of a runner that the kernel names as stuck. */
export function hungRunner(d: Dossier): readonly Fact[] {
  return stalls(d).filter(
    ({ is, fields }) => is === 'task-hung' && /^(?:Runner\.|\.NET |dotnet)/.test(fields['task'] ?? ''),
  )
}

export function nodePressed(d: Dossier): readonly Fact[] {
  const silence = findSilence(d)
  return d.nodePressure
    .filter(({ percent, at }) => {
      if (percent < PRESSED_PERCENT) return false
      return silence === null || at === null || (at >= silence.from && at <= silence.to + SILENCE_MS)
    })
    .map(({ what, percent, at }) =>
      fieldFact({
        is: 'node-pressure',
        source: 'kubernetes/stats',
        at,
        about: 'node',
        text: `all tasks of the node waited for ${what} ${Math.round(percent)} % of the time`,
      }),
    )
}

/** When GitHub gave the runner up. */
export function givenUpAt({ working }: Dossier): number | null {
  const times = working.github.lost.flatMap(({ at }) => at ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

/** From the last renewal to the end that GitHub declared, or the longest gap between renewals. */
function findSilence(d: Dossier): { readonly from: number; readonly to: number } | null {
  const to = givenUpAt(d)
  const renewals = d.subjectClues('lock-renewed').flatMap(({ at }) => at ?? [])
  if (to !== null) return { from: renewals.findLast((at) => at <= to) ?? to - SILENCE_MS, to }
  const [gap] = renewalGaps(d)
  const after = renewals.find((at) => at > (gap?.at ?? Infinity)) ?? d.log?.lastAt ?? null
  return gap === undefined || gap.at === null || after === null ? null : { from: gap.at, to: after }
}

/** The runner was still there after GitHub had given it up: nothing had ended it before. */
export function outlived(d: Dossier): readonly Fact[] {
  const at = givenUpAt(d)
  if (at === null) return []
  const isAlive = d.pod !== null && d.pod.lastSeenAt === null && isRunnerSurely(d.pod, 'running')
  const later = d.ending.facts.filter((fact) => fact.at !== null && fact.at > at && fact.fields['code'] !== '255')
  return [
    ...later.map(({ source, at: endedAt, text }) =>
      fieldFact({ is: 'outlived', source, at: endedAt, text: `${text}, after GitHub had given it up` }),
    ),
    ...(isAlive && d.now > at
      ? [fieldFact({ is: 'outlived', source: 'kubernetes/pods', at: d.now, text: 'the container still runs' })]
      : []),
  ]
}

/** Late renewals without a failed one: the runner did not even try, because it did not get to run. */
export function wasHeldUp(d: Dossier): boolean {
  return renewalGaps(d).length > 0 && d.subjectClues('lock-renewal-failing', 'github-unreachable').length === 0
}

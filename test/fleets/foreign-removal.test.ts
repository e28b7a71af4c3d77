import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { readFleetDocument } from '#/adapters/fleet-file/read-fleet-document.ts'
import { AUDITS } from '#/audits/index.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { readFleet } from '#/core/fleet/fleet.ts'
import { runAudit } from '#/core/audit/run-audit.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { readSnapshot } from '#/runtime/audit/read-snapshot.ts'
import { draws, sampled } from '#test/tiers/long-run.ts'
import { withoutSource } from './foreign-removed.ts'
import { KNOWN_FLEETS } from './known-fleets.ts'
import type { KnownFleet } from './known-fleets.ts'

/** Random orders start here; the seed in a failure reproduces it. */
const SEED = 20_261_116

const SOME = sampled(KNOWN_FLEETS, 3)

/** A fleet file changes thresholds: without it another result is right, and the missing file is reported. */
const SOURCES = [...new Set(AUDITS.flatMap(({ reads }) => reads.map(({ source }) => source)))].filter(
  (source) => source !== 'fleet' && source !== 'probe',
)

async function readFleetSnapshot({ path }: KnownFleet): Promise<Snapshot> {
  const opening = await openBundle(path, BUNDLE_LIMITS, new AbortController().signal)
  if (opening.kind === 'refused') throw new Error(opening.why)
  await using bundle = opening.bundle
  return await readSnapshot(bundle, AUDITS, readFleetDocument)
}

type Critical = { readonly audit: string; readonly class: string; readonly subject: string }

function criticals(snapshot: Snapshot, runner: string | null): readonly Critical[] {
  const fleet = readFleet(snapshot)
  const question = { ...WHOLE_FLEET, runner }
  return AUDITS.flatMap((audit) =>
    runAudit(audit, fleet, question)
      .findings.filter(({ severity }) => severity === 'critical')
      .map(({ class: name, subject }) => ({
        audit: audit.id,
        class: name,
        subject: `${subject.kind} ${subject.namespace}/${subject.name}`,
      })),
  )
}

/**
 * With fewer sources the same problem may get a weaker finding: a set without a listener whose runners cannot be read is no
 * wedge any more but still has no listener, and a listener of no known set is reported by its pod. Nothing becomes critical.
 */
function isOld({ audit, class: name, subject }: Critical, before: readonly Critical[]): boolean {
  return before.some((one) => one.audit === audit && (one.subject === subject || one.class === name))
}

/**
 * True in both cases, and better than no finding. Only Deployments show whether a controller of its version serves the set: a
 * set without a listener has none either way. A recent change may show only in the controller's log: a bundle made by hand
 * has no logs, and its wedges must be reported.
 */
const EXCUSED: readonly (readonly [source: string, classes: readonly string[]])[] = [
  ['kubernetes/deployments', ['listener-missing']],
  ['logs', ['rollover-wedged', 'wedged']],
]

function isExcused({ class: name }: Critical, sources: readonly string[]): boolean {
  return EXCUSED.some(([source, classes]) => sources.includes(source) && classes.includes(name))
}

/** An empty list is believed if the lists that contradict it cannot be read. */
function listRemovable(snapshot: Snapshot): readonly string[] {
  const isDoubted = [...readFleet(snapshot).snapshot.lists.values()].some(
    (list) => list.kind === 'blind' && list.reason.detail.startsWith('the list is empty, but'),
  )
  return isDoubted
    ? SOURCES.filter((source) => !/\/(?:pods|deployments|daemonsets|ephemeralrunners(?:ets)?)$/.test(source))
    : SOURCES
}

describe('a fleet with fewer sources', () => {
  const snapshots = new Map<string, Snapshot>()
  beforeAll(async () => {
    for (const fleet of SOME) snapshots.set(fleet.path, await readFleetSnapshot(fleet))
  })

  it.each(SOME.map((fleet) => [`${fleet.folder}/${fleet.name}`, fleet] as const))(
    '%s never gets a critical finding that it did not have before',
    (_name, { path, expected }) => {
      const whole = snapshots.get(path)
      if (whole === undefined) throw new Error('it was not read')
      const runner = expected.find((one) => one.runner !== undefined)?.runner ?? null
      const before = criticals(whole, runner)
      const faultsWithout = (sources: readonly string[]): readonly string[] => {
        const left = sources.reduce(withoutSource, whole)
        const added = criticals(left, runner).filter((one) => !isOld(one, before) && !isExcused(one, sources))
        return added.map((one) => `without ${sources.join(', ')}: ${one.audit} ${one.class} on ${one.subject}`)
      }
      const removable = listRemovable(whole)
      expect(removable.flatMap((source) => faultsWithout([source]))).toEqual([])
      fc.assert(
        fc.property(fc.subarray([...removable], { minLength: 2, maxLength: 6 }), (sources) => {
          expect(faultsWithout(sources)).toEqual([])
        }),
        { numRuns: draws(6, 1), seed: SEED },
      )
    },
  )
})

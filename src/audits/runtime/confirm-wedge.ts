import { textAt } from '#/core/basics/fields.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { joinSetParts, setKey } from '#/core/fleet/set-parts.ts'
import type { SetParts } from '#/core/fleet/set-parts.ts'
import { inFlight } from './set-traps.ts'

/** Findings of a wedge; preflight's `wedged` counts only with reason rollover-wedged. */
const WEDGES: ReadonlySet<string> = new Set(['rollover-wedged', 'stale-idle-listener-blocker', 'wedged'])

/**
 * A wedge needs time. The later read's wedge findings stay only if nothing of the set was created, changed or deleted
 * since the earlier read; otherwise a rollover is running.
 */
export function confirmWedges(
  findings: readonly Finding[],
  { earlier, later }: { readonly earlier: Fleet; readonly later: Fleet },
): readonly Finding[] {
  const before = new Map(joinSetParts(earlier).map((parts) => [setKey(parts.set), fingerprint(parts)]))
  const after = new Map(joinSetParts(later).map((parts) => [setKey(parts.set), parts]))
  return findings.flatMap((finding) => {
    const { namespace = '', name } = finding.subject
    const parts = after.get(`${namespace}/${name}`)
    if (!needsTime(finding) || parts === undefined) return [finding]
    const change = firstChange(before.get(setKey(parts.set)), fingerprint(parts))
    return change === null ? [finding] : movedOn(finding, parts, change)
  })
}

/** A crash-looping listener changes all the time but still blocks the set. */
function needsTime({ class: name, fields }: Finding): boolean {
  const reasons = fields?.['reasons']
  return WEDGES.has(name) && (name !== 'wedged' || (Array.isArray(reasons) && reasons.includes('rollover-wedged')))
}

function movedOn(finding: Finding, { set }: SetParts, change: string): readonly Finding[] {
  const evidence = [...finding.evidence, `between the two reads: ${change}`]
  if (finding.class === 'stale-idle-listener-blocker') return []
  const flying = inFlight({ set }, evidence)
  return [
    finding.class === 'wedged'
      ? {
          ...flying,
          class: 'in-flight',
          severity: 'warning',
          fields: { scaleSet: set.name, reasons: ['rollover-in-flight'] },
        }
      : flying,
  ]
}

/** Every object of the set with its resourceVersion, by kind and UID; a pod with its state, because kubelets write to it at any time. */
function fingerprint({ set, listeners, runnerSets, runners }: SetParts): ReadonlyMap<string, string> {
  const pods = runners.flatMap(({ pod }) =>
    pod === null ? [] : [[`Pod ${pod.name} ${pod.uid ?? ''}`, describePod(pod)] as const],
  )
  const objects = [set, ...listeners, ...runnerSets, ...runners].map(
    ({ kind, name, uid, raw }) =>
      [`${kind} ${name} ${uid ?? ''}`, textAt(raw, 'metadata', 'resourceVersion') ?? JSON.stringify(raw)] as const,
  )
  return new Map([...objects, ...pods])
}

function describePod({ phase, node, deletedAt, containers }: PodRecord): string {
  return JSON.stringify([phase, node, deletedAt, containers.map(({ name, state }) => [name, state])])
}

function firstChange(
  before: ReadonlyMap<string, string> | undefined,
  after: ReadonlyMap<string, string>,
): string | null {
  if (before === undefined) return 'the set was created'
  for (const [object, version] of after) {
    const old = before.get(object)
    if (old === undefined) return `${object} was created`
    if (old !== version) return `${object} changed`
  }
  const gone = [...before.keys()].find((object) => !after.has(object))
  return gone === undefined ? null : `${gone} was deleted`
}

import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { changeBetween } from '#/core/fleet/traps/change-between.ts'
import { setKey } from '#/core/fleet/set-parts.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
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
  const findChange = changeBetween({ earlier, later })
  const sets = new Map(later.sets.map((set) => [setKey(set), set]))
  return findings.flatMap((finding) => {
    const { namespace = '', name } = finding.subject
    const set = sets.get(`${namespace}/${name}`)
    if (!needsTime(finding) || set === undefined) return [finding]
    const change = findChange(setKey(set))
    return change === null ? [finding] : movedOn(finding, set, change)
  })
}

/** A crash-looping listener changes all the time but still blocks the set. */
function needsTime({ class: name, fields }: Finding): boolean {
  const reasons = fields?.['reasons']
  return WEDGES.has(name) && (name !== 'wedged' || (Array.isArray(reasons) && reasons.includes('rollover-wedged')))
}

function movedOn(finding: Finding, set: ScaleSet, change: string): readonly Finding[] {
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

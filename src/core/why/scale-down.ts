import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'

const AT_ONCE_MS = 90_000

/**
 * ARC takes an idle runner away: it removes the registration, then the pod. The runner may notice the first before the
 * second reaches it. Nothing is lost, and nobody else removed the registration.
 */
export function scaleDowns(d: Dossier): readonly Fact[] {
  if (d.working.had.length > 0) return []
  return [...d.subjectClues('arc-removes-idle'), ...removedByArc(d)]
}

/** Without the controller's log: its delete follows the lost registration at once, and the runner was listening before. */
function removedByArc(d: Dossier): readonly Fact[] {
  const [lost] = d.subjectClues('runner-deregistered')
  const [listening] = d.subjectClues('runner-listening')
  if (lost === undefined || listening === undefined || d.working.idle === null) return []
  const removals = d.removals.filter(({ by, at }) => {
    if (!/:[^:]*(?:gha-rs-controller|gha-runner-scale-set-controller)[^:]*$/.test(by ?? '')) return false
    return at !== null && lost.at !== null && Math.abs(at - lost.at) <= AT_ONCE_MS
  })
  return removals.map(({ fact }) => fact)
}

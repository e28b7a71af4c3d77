import { printAge } from '#/core/basics/age.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import { printTime } from '#/core/basics/print-time.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { MachineTrouble } from './machine-trouble.ts'
import { faultBehind, machineFailings } from './machine-trouble.ts'

/**
 * A machine whose bootstrap loops for a known reason. It never recovers by itself, and the jobs that its node takes
 * are lost while the node says Ready: critical, unlike a loop of unknown cause.
 */
export function faultFindings(trouble: MachineTrouble, fleet: Fleet): readonly Finding[] {
  const fault = faultBehind(trouble)
  const loop = fault === null ? null : describeLoop(trouble, fleet)
  if (fault === null || loop === null) return []
  const { subject, node } = trouble
  return [
    {
      class: 'bootstrap-loop',
      severity: 'critical',
      subject,
      evidence: [
        fault.what,
        ...loop.evidence,
        node === null ? 'it has not become a node' : `its node ${node} is not set up, whatever it says about Ready`,
      ],
      hint: `${fault.fix}${node === null ? '' : `; until then kubectl cordon ${node}`}`,
      fields: { failures: loop.failures, node },
    },
  ]
}

const NEVER = { times: 0, message: null }

type Loop = { readonly failures: number; readonly evidence: readonly string[] }

/** Its events or its own count show the loop; without them, a condition that has stood for as long as the window. */
function describeLoop(trouble: MachineTrouble, { now, thresholds }: Fleet): Loop | null {
  const { bootstrapLoop, bootstrapLoopWindow } = thresholds
  const [{ times, message } = NEVER] = machineFailings(trouble, now - bootstrapLoopWindow)
  const { since, message: said } = trouble.standing ?? { since: null, message: '' }
  const hasStood = since !== null && now - since >= bootstrapLoopWindow
  if (times < bootstrapLoop && !hasStood) return null
  const within = formatDuration(bootstrapLoopWindow)
  const last = message ?? said
  return {
    failures: times,
    evidence: [
      ...(times === 0 ? [] : [`its bootstrap failed ${times} times within ${within}`]),
      `the last failure: ${last.slice(0, 400)}`,
      ...(since === null ? [] : [`it has not been ready since ${printTime(since)} (${printAge(since, now)})`]),
    ],
  }
}

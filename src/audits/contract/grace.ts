import { numberAt } from '#/core/basics/fields.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { templateRunner } from '#/core/kubernetes/runner-container.ts'
import { readEnv } from './runner-template.ts'

/** Kubernetes' default if the template sets none. */
const KUBERNETES_DEFAULT_S = 30

const TIMEOUT = 'RUNNER_GRACEFUL_STOP_TIMEOUT'

export type ShortGrace = {
  readonly seconds: number
  readonly wanted: number
  /** The variable that sets `wanted`, if one does. */
  readonly askedBy: string | null
  /** Neither a grace period nor the variable is set. */
  readonly isDefault: boolean
}

export function shortGrace(set: Pick<ScaleSet, 'template'>, gracePeriodMs: number): ShortGrace | null {
  const own = numberAt(set.template, 'terminationGracePeriodSeconds')
  const seconds = own ?? KUBERNETES_DEFAULT_S
  const asked = readEnv(templateRunner(set.template), TIMEOUT)
  // A value from a Secret or a ConfigMap is unknown.
  if (asked.kind === 'elsewhere') return null
  const timeout = asked.kind === 'text' ? parseSeconds(asked.text) : null
  const wanted = timeout ?? gracePeriodMs / 1000
  if (seconds >= wanted) return null
  return { seconds, wanted, askedBy: timeout === null ? null : TIMEOUT, isDefault: own === null && timeout === null }
}

function parseSeconds(text: string): number | null {
  const match = /^\s*(\d{1,9})s?\s*$/.exec(text)
  return match === null ? null : Number(match[1])
}

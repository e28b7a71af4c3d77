import type { Fields } from '#/core/basics/fields.ts'
import { TEMPLATE_ANNOTATION } from './own-pod.ts'
import { assemblePod } from './pod/assemble-pod.ts'
import type { PodSettings } from './pod/settings.ts'
import { mergePod } from './pod/strategic-merge.ts'
import type { RunnerPool } from './runner-pool.ts'
import { templateDigest } from './template-digest.ts'

export type { PodSettings } from './pod/settings.ts'

/** A pod of the pool, as it is sent to the API server. */
export function buildPod(pool: RunnerPool, settings: PodSettings, name: string): Fields {
  const digest = templateDigest(pool, settings)
  return mergePod(assemblePod(pool, settings), { metadata: { name, annotations: { [TEMPLATE_ANNOTATION]: digest } } })
}

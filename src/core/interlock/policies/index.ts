import { excess } from './excess.ts'
import { failed } from './failed.ts'
import { handoff } from './handoff.ts'
import { hung } from './hung.ts'
import { neverRegistered } from './never-registered.ts'
import { offline } from './offline.ts'
import { staleGeneration } from './stale-generation.ts'
import { wedge } from './wedge.ts'
import { zombie } from './zombie.ts'
import type { Policy } from '#/core/interlock/policy.ts'

/** Every policy of docs/contracts/findings.md, in its order. */
export const POLICIES: readonly Policy[] = [
  offline,
  zombie,
  neverRegistered,
  failed,
  hung,
  handoff,
  excess,
  staleGeneration,
  wedge,
]

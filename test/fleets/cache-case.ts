import { cache } from '#/audits/cache/audit.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { DeclaredCache } from '#/core/fleet-file/fleet-file.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { seen } from '#/core/basics/observed.ts'
import { scaleSet } from '#test/fleets/arc-objects.ts'
import type { Lists } from './build-fleet.ts'
import { buildFleet } from './build-fleet.ts'

export const env = (...entries: readonly (readonly [string, string])[]) => ({
  env: entries.map(([name, value]) => ({ name, value })),
})
export const SERVER = ['ATTIC_SERVER', 'http://attic.nix-cache.svc:8080'] as const
export const NAME = ['ATTIC_CACHE', 'main'] as const
export const service = (spec: Fields = {}): Fields => ({ metadata: { namespace: 'nix-cache', name: 'attic' }, spec })
export const slice = (...ready: readonly (boolean | undefined)[]): Fields => ({
  metadata: { namespace: 'nix-cache', name: 'attic-x', labels: { 'kubernetes.io/service-name': 'attic' } },
  endpoints: ready.map((one) => ({ addresses: ['10.0.0.1'], conditions: one === undefined ? {} : { ready: one } })),
})

type Given = { readonly lists?: Lists; readonly cache?: DeclaredCache; readonly others?: Partial<Snapshot> }

/** The audit's findings for a fleet that is healthy except for what is given. */
export function cacheCase(healthy: Lists) {
  const findings = ({ lists = {}, cache: declared, others = {} }: Given) => {
    const fleetFile = declared === undefined ? {} : { fleetFile: seen({ cache: declared }) }
    return cache.examine(buildFleet({ ...healthy, ...lists }, { ...fleetFile, ...others }), WHOLE_FLEET)
  }
  const reported = (given: Given): readonly string[] =>
    findings(given).map(({ class: name, severity, subject }) => `${name} ${severity} ${subject.name}`)
  return { findings, reported }
}

export function setWith(runner: Fields): Lists {
  return { autoscalingrunnersets: [scaleSet('lane', { runner })] }
}

import type { Fields } from '#/core/fields.ts'

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

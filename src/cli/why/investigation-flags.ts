import { serverFlags } from '#/cli/api-client/server-flags.ts'
import { liveFlags } from '#/cli/frame/live-flags.ts'
import { bundleFlag, liveFlag, rulesFlag, storeFlag } from '#/cli/frame/shared-flags.ts'

/** Where `why` and `timeline` look, and by which rules. */
export const investigationFlags = {
  bundle: bundleFlag,
  rules: rulesFlag,
  store: storeFlag,
  live: liveFlag,
  ...serverFlags,
  ...liveFlags,
} as const

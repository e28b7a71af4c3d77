import type { Config } from '#/config/config.ts'
import type { Deaths } from '#/ports/store/deaths.ts'
import type { RecordingMeans } from '#/runtime/recorder/save-death.ts'
import { rejudgePage } from '#/runtime/recorder/rejudge.ts'
import { guardedApi } from '#/server/app.ts'
import { deathsApi } from '#/server/deaths.ts'
import { isLoopback } from '#/server/local-only.ts'
import { countingGuard, openToken } from './guards.ts'
import { packEvidence } from './judging.ts'
import { nothingToDispose } from './part.ts'
import type { Part, PartMeans } from './part.ts'

type Means = PartMeans & {
  readonly deaths: Deaths
  readonly judging: Pick<RecordingMeans, 'judge' | 'rules'>
}

export type DeathsApiPart = Part & {
  /** Who may ask for deaths, for the person who started the server. */
  readonly readableBy: string
}

/** `/v1/deaths` and its description, for whom the configuration lets in. */
export async function openDeathsApi(means: Means): Promise<DeathsApiPart> {
  const { config, deaths, judging, clock } = means
  const token = await openToken(config.api.tokenFile, 'api.tokenFile')
  const api = deathsApi({
    deaths,
    pack: packEvidence,
    rejudge: (filter, apply) => rejudgePage(judging, deaths, { filter, apply, now: clock.now() }),
  })
  const guard = countingGuard(token, { setting: 'api.tokenFile', opensToThisMachine: true }, means)
  return { routes: guardedApi({ guard, deaths: api }), readableBy: describeReaders(config), dispose: nothingToDispose }
}

function describeReaders({ listen: { host }, api: { tokenFile }, tls }: Config): string {
  if (isLoopback(host)) return 'this machine'
  if (tokenFile === null) {
    return 'this machine only: no token is configured (api.tokenFile or --api-token-file; with the chart: api.existingSecret), so /v1 is refused to others'
  }
  return `this machine, and whoever has the token${tls === null ? '; it travels in plain text: configure tls.certFile' : ''}`
}

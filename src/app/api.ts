import { createAuditLogReceiver } from '#/adapters/audit-log/audit-log-receiver.ts'
import type { AuditLogReceiver } from '#/adapters/audit-log/audit-log-receiver.ts'
import { openTokenFile } from '#/adapters/files/token-file.ts'
import { packEvidence } from './judging.ts'
import { watchedNamespaces } from './capture-duty.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { Config } from '#/config/config.ts'
import type { BearerToken } from '#/ports/bearer-token.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { Postmortems } from '#/ports/store.ts'
import type { RecordingMeans } from '#/runtime/recorder/save-death.ts'
import { rejudgePage } from '#/runtime/recorder/rejudge.ts'
import type { Metrics } from '#/runtime/metrics.ts'
import type { AppOptions } from '#/server/app.ts'
import { auditLogWebhook } from '#/server/audit-log-webhook.ts'
import { guard } from '#/server/auth.ts'
import type { GuardOptions } from '#/server/auth.ts'
import { deathsApi } from '#/server/deaths.ts'
import { isLoopback, peerAddress } from '#/server/local-only.ts'

type Means = {
  readonly config: Config
  readonly postmortems: Postmortems
  readonly judging: Pick<RecordingMeans, 'judge' | 'rules'>
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

export type OpenedApi = Pick<AppOptions, 'api' | 'audit'> & {
  /** What the API server sends here; null where nobody may send. */
  readonly receiver: AuditLogReceiver | null
  /** To whom deaths are told, for the one who starts it. */
  readonly told: string
}

/** API v1 as the configuration opens it. */
export async function openApi(means: Means): Promise<OpenedApi> {
  const { config, postmortems, judging, clock, metrics } = means
  const refusals = metrics.counter('signalbox_api_refusals_total', 'Requests that were not let in, by reason.')
  const guardOf = (token: BearerToken | null, wish: Pick<GuardOptions, 'setting' | 'opensToThisMachine'>) =>
    guard({
      ...wish,
      token,
      peerOf: peerAddress,
      clock,
      refused: (reason) => {
        refusals.add(1, { reason })
        if (reason === 'unusable-token') void tellFault(token, wish.setting, means.log)
      },
    })
  const token = await tokenOf(config.api.tokenFile, 'api.tokenFile')
  const auditToken = await tokenOf(config.audit.tokenFile, 'audit.tokenFile')
  const deaths = deathsApi({
    postmortems,
    pack: packEvidence,
    rejudge: (filter, apply) => rejudgePage(judging, postmortems, { filter, apply, now: clock.now() }),
  })
  const namespaces = watchedNamespaces(config)
  const receiver =
    auditToken === null ? null : createAuditLogReceiver(namespaces === null ? null : new Set(namespaces), clock)
  const events = metrics.counter('signalbox_audit_events_total', 'Audit events that the API server sent, by outcome.')
  return {
    api: { guard: guardOf(token, { setting: 'api.tokenFile', opensToThisMachine: true }), deaths },
    audit: auditLogWebhook({
      guard: guardOf(auditToken, { setting: 'audit.tokenFile', opensToThisMachine: false }),
      take: (sent) => receiver?.take(sent) ?? null,
      received: ({ kept, passed }) => {
        events.add(kept, { outcome: 'kept' })
        events.add(passed, { outcome: 'passed' })
      },
    }),
    receiver,
    told: toldTo(config),
  }
}

/** A file that cannot be used is found when the program starts, not when somebody knocks. */
async function tokenOf(path: string | null, setting: string): Promise<BearerToken | null> {
  if (path === null) return null
  const token = openTokenFile(path)
  const fault = await token.fault()
  if (fault === null) return token
  throw new CommandFailure(EXIT.usage, `${setting}: ${fault}`, [
    'make one: openssl rand -hex 32 > FILE, readable for this user only',
  ])
}

async function tellFault(token: BearerToken | null, setting: string, log: Log): Promise<void> {
  log.error('the token that callers show cannot be checked', { setting, why: (await token?.fault()) ?? 'unknown' })
}

function toldTo({ listen: { host }, api: { tokenFile }, tls }: Config): string {
  if (isLoopback(host)) return 'this machine'
  if (tokenFile === null) {
    return 'this machine only: no token is configured (api.tokenFile or --api-token-file; with the chart: api.existingSecret), so /v1 is refused to others'
  }
  return `this machine, and whoever has the token${tls === null ? '; it travels in plain text: configure tls.certFile' : ''}`
}

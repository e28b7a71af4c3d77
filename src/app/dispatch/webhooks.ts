import { none } from '#/core/basics/observed.ts'
import { Secret } from '#/core/basics/secret.ts'
import type { KnownInstallations } from '#/core/webhooks/decide-delivery.ts'
import { DELIVERY_OUTCOMES } from '#/core/webhooks/outcome.ts'
import { verifySignature } from '#/adapters/github/webhook-signature.ts'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'
import type { Config } from '#/config/config.ts'
import type { Pools } from '#/ports/pools.ts'
import type { Store } from '#/ports/store/store.ts'
import { createDeliveryWorker } from '#/runtime/webhooks/apply-deliveries.ts'
import { reopenOnPoolChange } from '#/runtime/webhooks/reopen-unmatched.ts'
import { githubWebhook, NOT_STORED } from '#/server/webhooks/github-webhook.ts'

/** Without pools, deliveries are stored and fit none. */
export const NO_POOLS: Pools = { read: none, onChange: () => {} }

type WebhookMeans = PartMeans & {
  readonly store: Pick<Store, 'assignments' | 'deliveries'>
  readonly pools: Pools
}

/** `/webhooks/github`, for a GitHub that has the secret, and the worker that applies what it sent. */
export function openWebhooks({ config, clock, log, metrics, store, pools }: WebhookMeans): Part {
  const secrets = toSecrets(config.github.webhookSecret)
  if (secrets.length === 0) {
    if (config.dispatch !== null) log.warn(NO_SECRET)
    return { dispose: nothingToDispose }
  }
  const webhooks = metrics.counter('signalbox_webhooks_total', 'Webhooks of GitHub, by what became of them.')
  for (const outcome of new Set([...DELIVERY_OUTCOMES, ...NOT_STORED])) webhooks.add(0, { outcome })
  const count = (outcome: string): void => webhooks.add(1, { outcome })
  const { assignments, deliveries } = store
  const worker = createDeliveryWorker({
    assignments,
    deliveries,
    pools: pools.read,
    installations: toInstallations(config),
    clock,
    log,
    settled: count,
  })
  reopenOnPoolChange({ pools, assignments, deliveries, clock, log, reopened: worker.wake })
  const handler = githubWebhook({
    isSigned: (body, signature) => verifySignature(secrets, body, signature) === 'valid',
    record: deliveries.record,
    clock,
    stored: worker.wake,
    counted: count,
    storeFailed: (why) => log.error('cannot store a webhook', { why }),
  })
  return {
    routes: [{ path: '/webhooks/github', handler }],
    replicaLoops: [worker.loop],
    dispose: nothingToDispose,
  }
}

const NO_SECRET =
  'dispatch is on and github.webhookSecretFile is not set: webhooks are not taken, and jobs are found by the slower scan'

/** A line each: during a rotation the old and the new one. */
function toSecrets(secret: Secret | null): readonly Secret[] {
  const lines = secret?.reveal().split(/\r?\n/u) ?? []
  return lines.filter((line) => line.trim() !== '').map((line) => new Secret('webhook-secret', line))
}

function toInstallations({ github: { credential, owners } }: Config): KnownInstallations {
  return { id: credential.kind === 'app' ? credential.installationId : null, owners }
}

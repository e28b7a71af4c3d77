import type { Pool } from 'pg'
import { MAX_DELIVERY_BYTES } from '#/ports/store/deliveries.ts'
import type { Breakers } from '#/ports/store/breakers.ts'
import { MOST_HISTORY } from '#/ports/store/deaths.ts'
import type { Deaths } from '#/ports/store/deaths.ts'
import type { Deliveries } from '#/ports/store/deliveries.ts'
import type { Findings } from '#/ports/store/findings.ts'
import type { LivePods } from '#/ports/store/live-pods.ts'
import type { Notices } from '#/ports/store/notices.ts'
import type { Store } from '#/ports/store/store.ts'
import type { Tokens } from '#/ports/store/tokens.ts'
import type { Wakeups } from '#/ports/store/wakeups.ts'
import { onStorable } from '#/adapters/storable/storable.ts'
import { postgresAssignments } from './assignments.ts'
import { postgresLedger } from './ledger.ts'
import { withTransaction } from '#/adapters/postgres/connection/pool.ts'
import { reachable } from '#/adapters/postgres/connection/pool-fault.ts'
import { listBreakers } from './queries/list-breakers.ts'
import { listEvidence } from './queries/list-evidence.ts'
import { listFindings } from './queries/list-findings.ts'
import { listVerdicts } from './queries/list-verdicts.ts'
import { listPendingDeliveries, listSettledDeliveries, reopenDeliveries } from './queries/list-deliveries.ts'
import { listDeaths } from '#/adapters/postgres/queries/list-deaths.ts'
import { claimNotice, countNotices, hasNotice, releaseNotice } from './queries/notices.ts'
import { putBreaker } from './queries/put-breaker.ts'
import { recordDelivery } from './queries/record-delivery.ts'
import { recordEvidence } from './queries/record-evidence.ts'
import { recordDeath } from '#/adapters/postgres/queries/record-death.ts'
import { rejudgeDeath } from '#/adapters/postgres/queries/rejudge-death.ts'
import { replaceFindings } from './queries/replace-findings.ts'
import { settleDelivery } from './queries/settle-delivery.ts'
import { postponeDelivery, takeDeliveries } from './queries/take-deliveries.ts'
import { listLivePods, listPodsNamed, putLivePods, removeLivePods } from '#/adapters/postgres/queries/live-pods.ts'
import { addToken, listTokens, revokeToken, useToken } from '#/adapters/postgres/queries/tokens.ts'
import { postgresRetention } from './retention.ts'
import { evidenceToRow } from '#/adapters/postgres/rows/evidence.ts'

/** The pool belongs to the caller, who also ends it. The database must have been migrated. */
export function postgresStore({ pool, wakeups }: { readonly pool: Pool; readonly wakeups: Wakeups }): Store {
  return {
    assignments: onStorable(postgresAssignments(pool)),
    deliveries: onStorable(postgresDeliveries(pool)),
    deaths: onStorable(postgresDeaths(pool)),
    livePods: onStorable(postgresLivePods(pool)),
    notices: onStorable(postgresNotices(pool)),
    ledger: onStorable(postgresLedger(pool)),
    findings: onStorable(postgresFindings(pool)),
    breakers: onStorable(postgresBreakers(pool)),
    tokens: onStorable(postgresTokens(pool)),
    retention: postgresRetention(pool),
    wakeups,
  }
}

function postgresDeliveries(pool: Pool): Deliveries {
  return {
    record: async (delivery) => {
      if (Buffer.byteLength(delivery.body) > MAX_DELIVERY_BYTES) return 'too-large'
      return await reachable(async () => await recordDelivery(pool, delivery))
    },
    pending: async (limit) => await reachable(async () => await listPendingDeliveries(pool, limit)),
    take: async (request) => await reachable(async () => await takeDeliveries(pool, request)),
    postpone: async (guid, next) => await reachable(async () => await postponeDelivery(pool, guid, next)),
    settle: async (guid, settled) => await reachable(async () => await settleDelivery(pool, guid, settled)),
    reopen: async (request) => await reachable(async () => await reopenDeliveries(pool, request)),
    list: async (filter) => await reachable(async () => await listSettledDeliveries(pool, filter)),
  }
}

function postgresDeaths(pool: Pool): Deaths {
  return {
    record: async (death, evidence) => {
      const rows = await Promise.all(evidence.map(evidenceToRow))
      await withTransaction(pool, async (client) => {
        await recordDeath(client, death)
        await recordEvidence(client, death.uid, rows)
      })
    },
    rejudge: async (uid, verdict) => await reachable(async () => await rejudgeDeath(pool, uid, verdict)),
    get: async (uid) =>
      await reachable(async () => {
        const [death] = await listDeaths(pool, { uid, limit: 1 })
        return death === undefined ? null : { death, evidence: await listEvidence(pool, uid) }
      }),
    list: async (filter) => await reachable(async () => await listDeaths(pool, filter)),
    history: async (uid) => await reachable(async () => await listVerdicts(pool, uid, MOST_HISTORY)),
  }
}

function postgresLivePods(pool: Pool): LivePods {
  return {
    put: async (pods) => {
      if (pods.length > 0) await reachable(async () => await putLivePods(pool, pods))
    },
    remove: async (uids) => {
      if (uids.length > 0) await reachable(async () => await removeLivePods(pool, uids))
    },
    page: async (after, limit) => await reachable(async () => await listLivePods(pool, after, limit)),
    named: async (pod, limit) => await reachable(async () => await listPodsNamed(pool, pod, limit)),
  }
}

function postgresNotices(pool: Pool): Notices {
  return {
    claim: async (notice) => await reachable(async () => await claimNotice(pool, notice)),
    release: async (channel, key) => await reachable(async () => await releaseNotice(pool, channel, key)),
    has: async (channel, key) => await reachable(async () => await hasNotice(pool, channel, key)),
    count: async (channel, since) => await reachable(async () => await countNotices(pool, channel, since)),
  }
}

function postgresFindings(pool: Pool): Findings {
  return {
    replace: async (audit, at, findings) =>
      await reachable(async () => await replaceFindings(pool, audit, at, findings)),
    list: async (filter) => await reachable(async () => await listFindings(pool, filter)),
  }
}

function postgresBreakers(pool: Pool): Breakers {
  return {
    get: async (key) => await reachable(async () => (await listBreakers(pool, key))[0] ?? null),
    list: async () => await reachable(async () => await listBreakers(pool, null)),
    put: async (row) => await reachable(async () => await putBreaker(pool, row)),
  }
}

function postgresTokens(pool: Pool): Tokens {
  return {
    add: async (token, forgetBefore) =>
      await withTransaction(pool, async (client) => await addToken(client, token, forgetBefore)),
    list: async () => await reachable(async () => await listTokens(pool)),
    revoke: async (name, at) => await reachable(async () => await revokeToken(pool, name, at)),
    use: async (digest, at) => await reachable(async () => await useToken(pool, digest, at)),
  }
}

import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { readEndedPod } from '#/agent/ended-pod.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'
import { imitateNode, NODE, PATIENT, podOf } from './imitated-node.ts'
import type { ImitatedNode } from './imitated-node.ts'

const { signal } = new AbortController()
const PODS = 12
const ROUNDS = Number(process.env['SIGNALBOX_TEST_KILLS'] ?? (LONG_RUN ? 20 : 4))
const LATEST_MS = 250
const request = (uid: string) => ({ uid, tailBytes: 256 * 1024 })
const served = (uid: string): string => `2026-11-16T07:00:00Z first of ${uid}\n2026-11-16T07:00:01Z last of ${uid}\n`

/** Pods whose logs the agent has open. */
async function startPods(node: ImitatedNode): Promise<readonly string[]> {
  const uids = Array.from({ length: PODS }, () => randomUUID())
  for (const uid of uids) await node.writeLog(uid, `2026-11-16T07:00:00Z stdout F first of ${uid}\n`)
  node.server.registry.watch(uids.map(podOf))
  await vi.waitFor(async () => {
    for (const uid of uids) expect(await node.agent().logs(request(uid), signal)).toMatchObject({ kind: 'seen' })
  }, PATIENT)
  for (const uid of uids) await node.writeLog(uid, `2026-11-16T07:00:01Z stdout F last of ${uid}\n`)
  return uids
}

describe('an agent that is killed in a burst', { timeout: 3_600_000 }, () => {
  it(`has afterwards what it had kept, once, at ${ROUNDS} random moments`, async () => {
    await using node = await imitateNode()
    let agent = await node.start()
    const kept: number[] = []
    for (const afterMs of fc.sample(fc.nat(LATEST_MS), ROUNDS)) {
      const uids = await startPods(node)
      const [gone, released] = [uids.slice(0, PODS / 2), uids.slice(PODS / 2)]
      const killed = sleep(afterMs).then(() => agent.stop('SIGKILL'))
      node.server.registry.watch([])
      await Promise.all(gone.map(node.removePod))
      await killed
      const spooled = await node.spooled()
      for (const uid of spooled) expect(readEndedPod(await readFile(join(node.state, `${uid}.pod`)))).not.toBeNull()
      expect(uids).toEqual(expect.arrayContaining([...spooled]))

      agent = await node.start()
      for (const uid of uids) {
        const answer = await node.agent().logs(request(uid), signal)
        const isThere = released.includes(uid) || spooled.includes(uid)
        const whole = { kind: 'seen', value: [{ container: 'runner', previous: false, text: served(uid), cut: false }] }
        expect(answer).toEqual(isThere ? whole : { kind: 'none' })
      }
      kept.push(gone.filter((uid) => spooled.includes(uid)).length)
      for (const uid of uids) node.server.registry.stored(NODE, uid)
      await vi.waitFor(async () => expect(await node.spooled()).toEqual([]), PATIENT)
      await Promise.all(released.map(node.removePod))
    }
    const most = ROUNDS * (PODS / 2)
    const all = kept.reduce((sum, count) => sum + count, 0)
    process.stderr.write(
      `killed ${ROUNDS} times up to ${LATEST_MS} ms after a burst: ${all} of ${most} removed pods were kept\n`,
    )
  })
})

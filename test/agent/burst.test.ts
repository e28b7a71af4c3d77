import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { LONG_RUN } from '#test/tiers/long-run.ts'
import { imitateNode, NODE, PATIENT, podOf, readMemory } from './imitated-node.ts'
import type { ImitatedNode } from './imitated-node.ts'

const { signal } = new AbortController()
const PODS = 50
const BURSTS = LONG_RUN ? 5 : 1
/** Of the chart. */
const LIMIT_MB = 256
/** What V8 keeps of it for the next one; the logs of the burst alone are 15 MB, and were held four times. */
const MOST_LEFT_MB = 80
const line = (message: string): string => `2026-11-16T07:00:00Z stdout F ${message}\n`

/** The journal that was asked for, or why there is none. */
async function journalOf(node: ImitatedNode, uid: string, at: number): Promise<string> {
  const about = { uid, containerIds: [`c${uid}`], at }
  const copy = await node.agent().journal({ since: at - 3_600_000, about }, signal)
  return copy.kind === 'blind' ? copy.reason.detail : text(copy.value.chunks)
}

/** A burst of deaths, from the watched pods to what is stored; gives the agent's memory in its course. */
async function burst(node: ImitatedNode, pid: number) {
  const uids = Array.from({ length: PODS }, () => randomUUID())
  const filler = line('x'.repeat(1000)).repeat(300)
  for (const uid of uids) {
    await node.writeLog(uid, filler + line(`last words of ${uid}`))
    await node.writeCounter(uid, '3\n')
  }
  const at = Date.now()
  for (const uid of uids) await node.journal.write(at, `killing pod "${uid}"`)
  node.server.registry.watch(uids.map(podOf))
  const isWatching = () => [node.gauge('agent_held_logs'), node.gauge('runner_memory_limit_hits')]
  await vi.waitFor(() => expect(isWatching()).toEqual([PODS, 3 * PODS]), PATIENT)

  await Promise.all(uids.map(node.removePod))
  node.server.registry.watch([])
  await Promise.all(uids.map((uid) => checkEvidence(node, uid, at)))
  const peak = readMemory(pid)
  await vi.waitFor(async () => expect(await node.spooled()).toHaveLength(PODS), PATIENT)
  for (const uid of uids) node.server.registry.stored(NODE, uid)
  await vi.waitFor(async () => expect(await node.spooled()).toEqual([]), PATIENT)
  await vi.waitFor(() => {
    const held = ['agent_held_logs', 'agent_ended_pods', 'agent_ended_pod_bytes'].map(node.gauge)
    expect(held).toEqual([0, 0, 0])
  }, PATIENT)
  return { ...peak, after: readMemory(pid).now }
}

async function checkEvidence(node: ImitatedNode, uid: string, at: number): Promise<void> {
  const held = async (): Promise<void> => {
    // A busy machine may not answer all of them within the time of one question.
    const logs = await node.agent().logs({ uid, tailBytes: 256 * 1024 }, signal)
    const counters = await node.agent().cgroups(podOf(uid), signal)
    expect(logs).toMatchObject({ value: [{ text: expect.stringContaining(`last words of ${uid}`) as string }] })
    expect(counters).toMatchObject({ value: [{ container: 'runner', files: new Map([['memory.failcnt', '3\n']]) }] })
  }
  const [journal] = await Promise.all([journalOf(node, uid, at), vi.waitFor(held, PATIENT)])
  expect([...journal.matchAll(/killing pod \\"([^\\]+)/g)].map(([, named]) => named)).toEqual([uid])
}

describe('an agent in a burst of fifty deaths', { timeout: 1_200_000 }, () => {
  it('has the logs, counters and journal of each, and holds nothing when they are stored', async () => {
    await using node = await imitateNode()
    const begun = Date.now()
    for (let second = 130; second > 0; second -= 1) {
      await node.journal.write(begun - second * 1000, 'y'.repeat(100_000), { SYSLOG_IDENTIFIER: 'other-program' })
    }
    const { pid } = await node.start()
    const idle = readMemory(pid).now
    for (let count = 1; count <= BURSTS; count += 1) {
      const { peak, now, after } = await burst(node, pid)
      const reads = await node.journal.reads()
      const memory = `${idle} MB idle, ${peak} MB at most, ${now} MB after the burst, ${after} MB when all is stored`
      process.stderr.write(`burst ${count}: the agent's memory is ${memory}; ${reads} reads of the journal so far\n`)
      expect(reads).toBe(count)
      expect(peak).toBeLessThan(LIMIT_MB)
      expect(after).toBeLessThan(idle + MOST_LEFT_MB)
    }
  })
})

import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { readEndedPod } from '#/agent/ended-pod.ts'
import { hasRootFor } from '#test/postgres/has-root-for.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'
import { imitateNode, NODE, PATIENT, podOf } from './imitated-node.ts'
import type { ImitatedNode } from './imitated-node.ts'

const { signal } = new AbortController()
const PODS = 12
const ROUNDS = Number(process.env['SIGNALBOX_TEST_KILLS'] ?? (LONG_RUN ? 20 : 4))
const LATEST_MS = LONG_RUN ? 3000 : 500
/** On a disk of this size a few of the pods have room. */
const SMALL_BYTES = 24 * 1024
const request = (uid: string) => ({ uid, tailBytes: 256 * 1024 })
const served = (uid: string): string => `2026-11-16T07:00:00Z first of ${uid}\n2026-11-16T07:00:01Z last of ${uid}\n`

/** Pods whose logs the agent has open. */
async function startPods(node: ImitatedNode): Promise<readonly string[]> {
  const uids = Array.from({ length: PODS }, () => randomUUID())
  for (const uid of uids) await node.writeLog(uid, `2026-11-16T07:00:00Z stdout F first of ${uid}\n`)
  node.server.registry.watch(uids.map(podOf))
  await vi.waitFor(async () => {
    for (const uid of uids) expect(await node.agent().logs(request(uid), signal)).toMatchObject({ kind: 'seen' })
    // Nothing of an earlier round is counted.
    expect(node.gauge('agent_ended_pods')).toBe(0)
  }, PATIENT)
  for (const uid of uids) await node.writeLog(uid, `2026-11-16T07:00:01Z stdout F last of ${uid}\n`)
  return uids
}

/** As the recorder does in a burst: each question ends a poll, and the next poll reports what is kept. */
async function keepAsking(node: ImitatedNode, uids: readonly string[], over: AbortSignal): Promise<void> {
  for (let asked = 0; !over.aborted; asked += 1) {
    await node.agent().logs(request(uids[asked % PODS] ?? ''), over)
    await sleep(10)
  }
}

/** The pods end one after the other; gives those whose files went, when it is over. */
async function endPods(node: ImitatedNode, uids: readonly string[], over: AbortSignal): Promise<readonly string[]> {
  const gone: string[] = []
  for (const [index, uid] of uids.entries()) {
    if (over.aborted) break
    node.server.registry.watch(uids.slice(index + 1).map(podOf))
    if (index % 2 === 0) {
      gone.push(uid)
      await node.removePod(uid)
    }
    await sleep(LATEST_MS / PODS)
  }
  return gone
}

async function expectWholeFiles(node: ImitatedNode, spooled: readonly string[]): Promise<void> {
  for (const uid of spooled) expect(readEndedPod(await readFile(join(node.state, `${uid}.pod`)))).not.toBeNull()
}

/** Each log is whole where it must be, and there is none of the others. */
async function expectAnswers(
  node: ImitatedNode,
  uids: readonly string[],
  mustHave: (uid: string) => boolean,
): Promise<void> {
  for (const uid of uids) {
    const whole = { kind: 'seen', value: [{ container: 'runner', previous: false, text: served(uid), cut: false }] }
    expect(await node.agent().logs(request(uid), signal)).toEqual(mustHave(uid) ? whole : { kind: 'none' })
  }
}

async function letGo(node: ImitatedNode, uids: readonly string[]): Promise<void> {
  for (const uid of uids) node.server.registry.stored(NODE, uid)
  await vi.waitFor(async () => expect(await node.spooled()).toEqual([]), PATIENT)
  await Promise.all(uids.map(node.removePod))
}

type Kept = { readonly gone: number; readonly kept: number; readonly reported: number }

/** One burst, with the agent killed in its course. What it had reported as kept must be on disk, and be answered by the next. */
async function killInBurst(node: ImitatedNode, afterMs: number, isReported: boolean): Promise<Kept> {
  const agent = await node.start()
  const uids = await startPods(node)
  const over = new AbortController()
  const asking = keepAsking(node, uids, over.signal)
  const ending = endPods(node, uids, over.signal)
  if (isReported) await vi.waitFor(() => expect(node.gauge('agent_ended_pods')).toBeGreaterThan(0), PATIENT)
  await sleep(afterMs)
  const reported = node.gauge('agent_ended_pods') ?? 0
  await agent.stop('SIGKILL')
  over.abort()
  const gone = await ending
  await asking
  const spooled = await node.spooled()
  expect(spooled.length).toBeGreaterThanOrEqual(reported)
  expect(uids).toEqual(expect.arrayContaining([...spooled]))
  await expectWholeFiles(node, spooled)

  const next = await node.start()
  await expectAnswers(node, uids, (uid) => !gone.includes(uid) || spooled.includes(uid))
  await letGo(node, uids)
  await next.stop('SIGKILL')
  return { gone: gone.length, kept: gone.filter((uid) => spooled.includes(uid)).length, reported }
}

/** Gives how much had been reported. Every other time something is, before the moment is drawn: otherwise few moments would be after it. */
async function killRounds(what: string, node: ImitatedNode): Promise<number> {
  const rounds: Kept[] = []
  for (const [round, afterMs] of fc.sample(fc.nat(LATEST_MS), ROUNDS).entries()) {
    rounds.push(await killInBurst(node, afterMs, round % 2 === 0))
  }
  const sum = (of: (one: Kept) => number): number => rounds.reduce((all, one) => all + of(one), 0)
  const counts = `${sum(({ kept }) => kept)} of ${sum(({ gone }) => gone)} removed pods were kept`
  process.stderr.write(
    `${what}: killed ${ROUNDS} times: ${counts}, ${sum(({ reported }) => reported)} had been reported\n`,
  )
  return sum(({ reported }) => reported)
}

describe('an agent that is killed in a burst', { timeout: 3_600_000 }, () => {
  it('has afterwards what it had reported as kept, and all of it that is on disk', async () => {
    await using node = await imitateNode()
    expect(await killRounds('agent', node)).toBeGreaterThan(0)
  })

  it.runIf(hasRootFor('kill -9 of an agent with a full disk'))('also if the disk of its state is full', async () => {
    await using node = await imitateNode({ stateBytes: SMALL_BYTES })
    expect(await killRounds('agent with a full disk', node)).toBeGreaterThan(0)
  })

  it('also if the server was away when the pods ended', async () => {
    await using node = await imitateNode()
    let kept = 0
    for (const [round, afterMs] of fc.sample(fc.nat(LATEST_MS), ROUNDS).entries()) {
      const agent = await node.start()
      const uids = await startPods(node)
      const returnServer = await node.stopServer()
      await Promise.all(uids.map(node.removePod))
      const isWhole = round % 2 === 0
      if (isWhole) await vi.waitFor(async () => expect(await node.spooled()).toHaveLength(PODS), PATIENT)
      else await sleep(afterMs)
      await agent.stop('SIGKILL')
      const spooled = await node.spooled()
      await expectWholeFiles(node, spooled)
      await returnServer()
      const next = await node.start()
      await expectAnswers(node, uids, (uid) => spooled.includes(uid))
      await letGo(node, uids)
      await next.stop('SIGKILL')
      kept += spooled.length
    }
    process.stderr.write(
      `agent without its server: killed ${ROUNDS} times: ${kept} of ${ROUNDS * PODS} pods were kept\n`,
    )
    expect(kept).toBeGreaterThanOrEqual(Math.ceil(ROUNDS / 2) * PODS)
  })
})

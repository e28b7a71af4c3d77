import { setTimeout as sleep } from 'node:timers/promises'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { startNodeCluster } from '#test/cluster/cluster.ts'
import { checkBundle } from './check-bundle.ts'
import { openGitHub } from './github-side.ts'
import { watchPod } from './last-seen.ts'
import { createNamespaces, playDecoys, startNeighbours } from './neighbours.ts'
import type { OutsideNames } from './neutral-machine.ts'
import { NODE } from './neutral-machine.ts'
import { createRunner, toScaleSet } from './runner-pod.ts'
import type { Act, Recording } from './setup.ts'
import { collectBundle } from './setup.ts'

export type Outcome = {
  readonly name: string
  readonly seconds: number
  readonly result:
    | { readonly kind: 'recorded'; readonly bytes: number }
    | { readonly kind: 'failed'; readonly why: string }
}

/** A journal is older than the pod in question, so a bundle also has what happened on the node before. */
const LOOK_BACK_MS = 30_000

/** All recordings of an act on one cluster, one after the other. A recording that fails does not stop the others. */
export async function performAct(
  act: Act,
  outside: OutsideNames,
  say: (line: string) => void,
): Promise<readonly Outcome[]> {
  say(`starting ${act.title}`)
  const cluster = await startNodeCluster(await act.options())
  const outcomes: Outcome[] = []
  try {
    await startNeighbours(cluster)
    // No bundle has the journal of the cluster's start or of the machine before it.
    await sleep(LOOK_BACK_MS + 1000)
    for (const recording of act.recordings) {
      const outcome = await performRecording(cluster, recording, outside)
      say(describeOutcome(outcome))
      outcomes.push(outcome)
    }
  } finally {
    await cluster.stop()
  }
  return outcomes
}

function describeOutcome({ name, seconds, result }: Outcome): string {
  const reports = result.kind === 'recorded' ? `${(result.bytes / 1024).toFixed(0)} KiB` : `FAILED: ${result.why}`
  return `${name}: ${seconds.toFixed(0)} s, ${reports}`
}

async function performRecording(cluster: NodeCluster, recording: Recording, outside: OutsideNames): Promise<Outcome> {
  const begun = performance.now()
  const result = await record(cluster, recording, outside).then(
    (bytes) => ({ kind: 'recorded', bytes }) as const,
    (error: unknown) => ({ kind: 'failed', why: error instanceof Error ? error.message : String(error) }) as const,
  )
  await tidyUp(cluster, recording).catch(() => undefined)
  return { name: recording.name, seconds: (performance.now() - begun) / 1000, result }
}

async function record(cluster: NodeCluster, recording: Recording, outside: OutsideNames): Promise<number> {
  const { runner, repository, job, step } = recording
  const since = new Date(Date.now() - LOOK_BACK_MS)
  await createNamespaces(cluster, [runner.namespace])
  const isImpatient = recording.isGitHubImpatient === true
  await using service = await openGitHub({ seed: toSeed(recording.name), isImpatient })
  const github = service.side({ repository, runner: runner.name, job, step, labels: [toScaleSet(runner.name)] })
  const lastSeen = watchPod(cluster, runner)
  try {
    await startSibling(cluster, recording)
    await playDecoys(cluster, recording.decoys ?? [])
    const setup = { cluster, recording, github, lastSeen, since, folder: cluster.folder }
    const collected = await collectBundle(setup, await recording.perform(setup))
    await checkBundle(collected.archive, outside)
    return collected.bytes
  } finally {
    lastSeen.stop()
  }
}

/** A runner of the same scale set that has nothing to do. */
async function startSibling(cluster: NodeCluster, { runner }: Recording): Promise<void> {
  const name = `${toScaleSet(runner.name)}-x4k7p-runner-b8n2w`
  const listener = ['listen', 'while :; do pause 30; done']
  const play = { job: '', wrapper: 'helper', trapsTerm: true, listener } as const
  await createRunner(cluster, { namespace: runner.namespace, name }, { play, memory: '32Mi' })
}

function toSeed(name: string): number {
  return Buffer.from(name).reduce((seed, byte) => (seed * 31 + byte) % 1_000_000, 7)
}

/** The next recording finds a node without this one's pods. */
async function tidyUp(cluster: NodeCluster, { runner }: Recording): Promise<void> {
  const node = await cluster.call({ path: `/api/v1/nodes/${NODE}` })
  if (node.status !== 200) return
  await cluster.kubectl(['uncordon', NODE])
  await cluster.kubectl(['delete', 'pods', '--all', '--force', '--grace-period=0', '-n', runner.namespace])
  await cluster.kubectl(['delete', 'pods', '--all', '--force', '--grace-period=0', '-n', 'batch'])
  await cluster.kubectl(['delete', 'namespace', runner.namespace, '--timeout=30s'])
}

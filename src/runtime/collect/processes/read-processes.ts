import { blind, describeReason, seen } from '#/core/basics/observed.ts'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { readProcesses as judgeProcesses } from '#/core/interlock/processes.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { isSandboxed } from '#/core/kubernetes/sandbox.ts'
import { runnerCandidates } from '#/core/kubernetes/runner-container.ts'
import type { ReadPodProcesses, RunnerContainer } from '#/ports/pod-processes.ts'
import { inParallel } from '#/runtime/collect/request/in-parallel.ts'

/** How processes can be read, best first. Null: it cannot be asked at all. */
export type ProcessMeans = {
  /** The agent of the node, which sees them from outside. */
  readonly agent: ReadPodProcesses | null
  /** `pods/exec`, which sees them from inside. */
  readonly exec: ReadPodProcesses | null
}

export type AskedRunner = Pick<RunnerState, 'pod'> & {
  readonly runner: { readonly namespace: string; readonly name: string }
}

const AT_ONCE = 8
/** Candidates, not the fleet: more than that is a mistake of the question. */
const MOST_RUNNERS = 500

/**
 * The processes of these runners, by `namespace/name`, in the form of `processes/NAMESPACE/POD.txt` of a bundle. Only of
 * runner containers that run: about the others the state of the pod says enough.
 */
export async function readProcesses(
  runners: readonly AskedRunner[],
  means: ProcessMeans,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Observed<string>>> {
  const asked = new Map(runners.flatMap((one) => (isRunning(one.pod) ? [[keyFor(one), one.pod] as const] : [])))
  const found = new Map<string, Observed<string>>()
  const [first, rest] = [[...asked].slice(0, MOST_RUNNERS), [...asked].slice(MOST_RUNNERS)]
  for (const [key] of rest) found.set(key, blind('refused-by-limits', `processes of ${MOST_RUNNERS} runners were read`))
  const read = inParallel(first, AT_ONCE, async ([key, pod]) => [key, await readPod(pod, means, signal)] as const)
  for await (const [key, text] of read) found.set(key, text)
  return found
}

function keyFor({ runner }: AskedRunner): string {
  return `${runner.namespace}/${runner.name}`
}

function isRunning(pod: PodRecord | null): pod is PodRecord {
  if (pod === null || hasEnded(pod)) return false
  return runnerCandidates(pod).some(({ state }) => state.kind === 'running')
}

/** Where several containers may be the runner, the worker may be in each of them. */
async function readPod(pod: PodRecord, means: ProcessMeans, signal: AbortSignal): Promise<Observed<string>> {
  const { namespace, name, uid, node } = pod
  if (uid === null || node === null) return blind('unsupported', 'its pod has no UID or no node')
  const containers = runnerCandidates(pod).filter(({ state }) => state.kind === 'running')
  const asked = containers.map(({ name: container }) => ({ namespace, pod: name, uid, node, container }))
  const ways = [
    ['agent', isSandboxed(pod) ? async () => blind('unsupported', OUTSIDE) : means.agent],
    ['pods/exec', means.exec],
  ] as const
  const reasons: string[] = []
  let last: Blind = blind('not-asked', 'nothing could be asked for its processes')
  for (const [way, read] of ways) {
    if (read === null) continue
    const text = await readAll(asked, read, signal)
    // Who sees other processes, such as those of the sandbox, has not seen the runner.
    const judged = text.kind === 'seen' ? judgeProcesses(text.value) : text
    if (judged.kind === 'seen') return text
    last = judged.kind === 'blind' ? judged : blind('malformed', 'the list of processes is empty')
    reasons.push(`${way}: ${describeReason(last.reason)}`)
  }
  return reasons.length === 0 ? last : blind(last.reason.code, reasons.join('; '))
}

const OUTSIDE = 'the node sees only the sandbox of the pod (its runtime class), not what runs in it'

async function readAll(
  asked: readonly RunnerContainer[],
  read: ReadPodProcesses,
  signal: AbortSignal,
): Promise<Observed<string>> {
  const texts: string[] = []
  for (const container of asked) {
    const text = await read(container, signal)
    if (text.kind !== 'seen') return text
    texts.push(text.value)
  }
  return seen(texts.join(''))
}

import { join } from 'node:path'
import { expect } from 'vitest'
import type { Death } from '#/core/recorder/death.ts'
import type { GitHubService } from '#test/bundles/record/github-side.ts'
import { watchPod } from '#test/bundles/record/last-seen.ts'
import { createNamespaces } from '#test/bundles/record/neighbours.ts'
import { toScaleSet } from '#test/bundles/record/runner-pod.ts'
import type { Recording } from '#test/bundles/record/setup.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import { runSignalbox } from '#test/cli/run-signalbox.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import type { PodName } from '#test/cluster/pods.ts'
import { until } from '#test/cluster/until.ts'

/** Makes the death and returns its pod: the name of a pod that a quota refused is not known before. */
export async function perform(cluster: NodeCluster, service: GitHubService, recording: Recording): Promise<PodName> {
  const { runner, repository, job, step } = recording
  await createNamespaces(cluster, [runner.namespace])
  const github = service.side({ repository, runner: runner.name, job, step, labels: [toScaleSet(runner.name)] })
  const lastSeen = watchPod(cluster, runner)
  try {
    const setup = { cluster, recording, github, lastSeen, since: new Date(), folder: cluster.folder }
    const { subject } = await recording.perform(setup)
    return typeof subject === 'string' ? runner : subject
  } finally {
    lastSeen.stop()
  }
}

type Served = Pick<ServeProcess, 'url'>

const ADMITTED_MS = 300_000

/** A new connection each time: the server may just be closing one that is kept alive. Waits while deaths come first. */
export async function askServe({ url }: Served, path: string): Promise<Response> {
  const probe = async () => {
    const answer = await fetch(`${url}${path}`, { headers: { connection: 'close' } })
    const isBusy = [429, 503].includes(answer.status) && answer.headers.has('retry-after')
    if (!isBusy) return answer
    await answer.body?.cancel()
    return undefined
  }
  return until({ what: `an answer to ${path}`, timeoutMs: ADMITTED_MS, probe })
}

/** The deaths of a pod that `serve` lists; none while it is without its database. */
export async function readDeaths(serve: Served, { namespace, name }: PodName): Promise<Death[]> {
  const answer = await askServe(serve, `/v1/deaths?limit=1000&name=${name}`)
  if (!answer.ok) return []
  const { deaths } = (await answer.json()) as { readonly deaths: Death[] }
  return deaths.filter((death) => death.namespace === namespace)
}

const RECORDED_MS = 900_000

/** With the final verdict: a pod that is slow to start may be reported as one that cannot, until it ends. */
export async function untilRecorded(serve: ServeProcess, pod: PodName, cause: string | null = null): Promise<Death> {
  return until({
    what: `the death of ${pod.name}, ${cause ?? 'judged'}`,
    timeoutMs: RECORDED_MS,
    explain: async () => `${JSON.stringify(await readDeaths(serve, pod), null, 1)}\n${serve.said()}`,
    probe: async () =>
      (await readDeaths(serve, pod)).find((death) =>
        cause === null
          ? !death.sentence.includes('not judged yet') && death.kind !== 'never-started'
          : death.cause === cause,
      ),
  })
}

type Part = {
  readonly source: string
  readonly observed: string
  readonly reason: string | null
  readonly bytes: number
}

export async function readEvidence(serve: Served, uid: string): Promise<readonly Part[]> {
  const answer = await askServe(serve, `/v1/deaths/${uid}`)
  const { evidence } = (await answer.json()) as { readonly evidence: readonly Part[] }
  return evidence
}

/** Each part has content or a reason why not; `none` means that the source was observing. */
export function expectNothingEmpty(evidence: readonly Part[]): void {
  expect(evidence.map(({ source }) => source)).toContain('meta.json')
  const isEmpty = ({ observed, reason, bytes }: Part): boolean =>
    (observed === 'seen' && bytes === 0) || (observed === 'blind' && (reason ?? '') === '')
  expect(evidence.filter(isEmpty)).toEqual([])
}

type Answer = {
  readonly verdict: { readonly cause: string; readonly actor: string | null; readonly confidence: number }
}

/** The answer of `why` for the exported evidence. */
export async function judgeExport({ url }: Served, uid: string, folder: string): Promise<Answer> {
  const path = join(folder, `${uid}.tar.gz`)
  const exported = await runSignalbox(['export', uid, '-o', path, '--server', url])
  expect([exported.code, exported.stderr]).toEqual([0, expect.any(String)])
  const { stdout } = await runSignalbox(['why', '--bundle', path, '-o', 'json'])
  return JSON.parse(stdout) as Answer
}

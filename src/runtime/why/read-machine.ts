import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Subject } from '#/core/evidence/subject.ts'
import { at, numberAt, timeAt } from '#/core/basics/fields.ts'
import type { CgroupFiles, NodePressure } from '#/core/why/evidence.ts'
import type { SourceState } from '#/core/why/source-state.ts'
import type { Bundle } from '#/ports/bundle.ts'

const POD = '_pod'

/** The cgroup files of the runner, of each named container and of the pod. */
export async function readCgroups(
  bundle: Bundle,
  { namespace, pod }: Subject,
  object: PodFacts | null,
): Promise<{ readonly files: readonly CgroupFiles[]; readonly state: SourceState }> {
  if (namespace === null || pod === null) return { files: [], state: blind('not-asked', 'the pod is not known') }
  const containers = [null, POD, ...(object?.containers.map(({ name }) => name) ?? ['runner'])]
  const read = await Promise.all(containers.map((container) => bundle.cgroup({ namespace, pod, container })))
  const files = read.flatMap((observed, index) =>
    observed.kind === 'seen' ? [{ container: containers[index] ?? null, files: observed.value }] : [],
  )
  const coverage = bundle.coverage('cgroup')
  const [first] = read
  if (files.length === 0 && first?.kind === 'blind') return { files, state: first }
  return { files, state: { kind: 'looked', from: coverage?.from ?? null, to: coverage?.to ?? null } }
}

const HOST_FILES = ['proc/sys/fs/file-nr', 'proc/cgroups', 'free-m', 'df', 'df-i'] as const

export async function readHost(
  bundle: Bundle,
  node: string | null,
): Promise<{ readonly files: ReadonlyMap<string, string>; readonly state: SourceState }> {
  if (node === null) return { files: new Map(), state: blind('not-asked', 'the node is not known') }
  const read = await Promise.all(HOST_FILES.map((name) => bundle.hostFile(node, name)))
  const files = read.flatMap((observed, index) =>
    observed.kind === 'seen' ? [[HOST_FILES[index] ?? '', observed.value] as const] : [],
  )
  const [first] = read
  const isBlind = files.length === 0 && first?.kind === 'blind'
  return { files: new Map(files), state: isBlind ? first : { kind: 'looked', from: null, to: null } }
}

/** Pressure stall information, which the kubelet reports since version 1.33. */
export async function readNodePressure(bundle: Bundle, node: string | null): Promise<readonly NodePressure[]> {
  const stats = node === null ? null : await bundle.stats(node)
  if (stats?.kind !== 'seen') return []
  return ['cpu', 'io', 'memory'].flatMap((what) => {
    const part = at(stats.value, 'node', what)
    const full = at(part, 'psi', 'full')
    const percent = numberAt(full, 'avg300') ?? numberAt(full, 'avg60') ?? null
    return percent === null ? [] : [{ what, percent, at: timeAt(part, 'time') }]
  })
}

import type { Coverage } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { blind } from '#/core/basics/observed.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import { HOST_FILES } from '#/ports/this-host.ts'
import type { CgroupCopy, JournalCopy } from '#/ports/this-host.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import type { Target } from '#/runtime/collect/request/targets.ts'
import type { Window } from '#/runtime/collect/request/window.ts'
import { plannedRunner } from '#/runtime/collect/request/targets.ts'

/** First of all, because the kernel removes them within seconds after the end. */
export async function* gatherCgroups(means: Means, target: Target): AsyncGenerator<BundleFile> {
  const { request, answers } = means
  const { namespace, pod } = target.subject
  const found = await findCgroups(request, target)
  if (found === null || namespace === null || pod === null) return
  if (found.kind !== 'seen') {
    const { reason } = found.kind === 'blind' ? found : blind('expired', `the kernel has no cgroup of ${pod} any more`)
    return answers.blindUnlessLooked('cgroup', reason)
  }
  const runner = plannedRunner(target.containers)
  for (const { container, files } of found.value) {
    const named = container ?? '_pod'
    const folder = bundlePath.cgroup({ namespace, pod, container: named === runner ? null : named })
    for (const [file, content] of files) yield { path: `${folder}/${file}`, content }
  }
  answers.looked('cgroup', readCoverage(found.value, request.clock.now()))
}

/** A copy from before the end shows what had happened until then. */
function readCoverage(copies: readonly CgroupCopy[], now: number): Partial<Coverage> {
  const times = copies.flatMap(({ readAt }) => readAt ?? [])
  if (times.length === 0) return { from: now, to: now }
  const at = Math.min(...times)
  return { from: at, to: at, remark: `read at ${new Date(at).toISOString()}, and gone since` }
}

/** Null where the pod was not on this machine. */
async function findCgroups(
  { thisNode, signal }: Means['request'],
  { subject, pod }: Target,
): Promise<Observed<readonly CgroupCopy[]> | null> {
  const { uid, node } = subject
  if (thisNode === null || node !== thisNode.name || uid === null) return null
  const containers = (pod?.containers ?? []).flatMap(({ name, id }) => (id === null ? [] : [{ name, id }]))
  return thisNode.host.cgroups({ uid, containers }, signal)
}

export async function* gatherHost({ request, answers }: Means): AsyncGenerator<BundleFile> {
  const { thisNode, signal } = request
  if (thisNode === null) return
  const { name, host } = thisNode
  request.progress('reading this machine')
  const missing: BlindReason[] = []
  for (const file of HOST_FILES) {
    const read = await host.file(file, signal)
    if (read.kind === 'seen') yield { path: bundlePath.host(name, file), content: read.value }
    if (read.kind === 'blind') missing.push(read.reason)
  }
  const [first] = missing
  if (first !== undefined && missing.length === HOST_FILES.length) return answers.blind(`host/${name}`, first)
  const remark = missing.map(({ code, detail }) => `${code}: ${detail}`).join('; ')
  answers.looked(`host/${name}`, { remark: remark === '' ? null : remark })
}

export async function* gatherJournal(means: Means, { from, to }: Window): AsyncGenerator<BundleFile> {
  const { request, answers } = means
  if (request.thisNode === null) return
  const { name, host } = request.thisNode
  request.progress('reading the journal')
  const copy = await host.journal({ since: from, ...(to === null ? {} : { until: to }) }, request.signal)
  if (copy.kind === 'blind') return answers.blind(`journal/${name}`, copy.reason)
  yield { path: bundlePath.journalJson(name), content: copied(means, copy.value, { name, to }) }
}

/** What the journal covers is known when it has been read. */
async function* copied(
  { request, answers }: Means,
  copy: JournalCopy,
  { name, to }: { readonly name: string; readonly to: number | null },
): AsyncGenerator<Uint8Array> {
  const readAt = request.clock.now()
  yield* copy.chunks
  const ending = copy.ending()
  const remark = ending.gaps.map(({ code, detail }) => `${code}: ${detail}`).join('; ')
  answers.looked(`journal/${name}`, {
    from: copy.from,
    to: ending.to ?? to ?? readAt,
    remark: remark === '' ? null : remark,
  })
}

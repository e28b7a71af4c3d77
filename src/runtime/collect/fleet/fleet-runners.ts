import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import { DEFAULT_THRESHOLDS } from '#/core/fleet-file/thresholds.ts'
import { blind } from '#/core/basics/observed.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { GitHub } from '#/ports/github.ts'
import type { GitHubDocument } from '#/ports/github-documents.ts'
import type { FleetRegistrations } from './fleet-registrations.ts'
import { registrationPlace } from './fleet-registrations.ts'
import { printed } from '#/runtime/collect/github/github-jobs.ts'
import { inParallel } from '#/runtime/collect/request/in-parallel.ts'
import type { Means, SavedRunners } from '#/runtime/collect/request/request.ts'
import { createTimeLimit } from '#/runtime/collect/request/time-limit.ts'

const RUNNERS = 'github/runners'
const AT_ONCE = 4
const ALL_MS = 120_000

/**
 * The runners of every registration, as one list. Where one of them cannot be read the list is blind, because a runner
 * that is missing in it would be taken for one that GitHub does not have; what was read is written all the same.
 */
export async function* gatherFleetRunners(
  means: Means,
  github: GitHub,
  { asked, beyond }: FleetRegistrations,
): AsyncGenerator<BundleFile> {
  const { clock, signal, progress } = means.request
  if (asked.length === 0) return means.answers.blind(RUNNERS, nobodyToAsk(beyond))
  progress('asking GitHub for the runners')
  const limit = createTimeLimit({ clock, signal, eachMs: ALL_MS, allMs: ALL_MS })
  const rows = new Map<string, GitHubDocument>()
  const unread: BlindReason[] = beyond.map((why) => blind('unsupported', why).reason)
  const ask = async (at: (typeof asked)[number]) => ({
    place: registrationPlace(at),
    read: await limit.ask(registrationPlace(at), (within) => github.documents.runners(at, { signal: within })),
  })
  for await (const { place, read } of inParallel(asked, AT_ONCE, ask)) {
    signal.throwIfAborted()
    if (read.kind === 'seen') for (const row of read.value) rows.set(`${place}/${String(row['id'])}`, row)
    if (read.kind === 'blind') unread.push({ code: read.reason.code, detail: `${place}: ${read.reason.detail}` })
  }
  const [first] = unread
  if (first === undefined)
    means.answers.looked(RUNNERS, { remark: `of ${asked.map(registrationPlace).toSorted().join(', ')}` })
  else means.answers.blind(RUNNERS, { ...first, detail: unread.map(({ detail }) => detail).join('; ') })
  if (unread.length >= asked.length + beyond.length) return
  yield { path: bundlePath.githubRunners, content: printed({ total_count: rows.size, runners: [...rows.values()] }) }
}

export function nobodyToAsk(beyond: readonly string[]): BlindReason {
  if (beyond.length > 0) return blind('unsupported', beyond.join('; ')).reason
  return blind('not-asked', 'no scale set names an organisation or repository, and the configuration neither').reason
}

/** The list as somebody saved it, in place of asking. What GitHub said a while ago says nothing about now. */
export async function* writeSavedRunners(
  { request, answers }: Means,
  { rows, total, at }: SavedRunners,
): AsyncGenerator<BundleFile> {
  const most = request.fleet.declared?.file.thresholds?.githubFileAge ?? DEFAULT_THRESHOLDS.githubFileAge
  const age = request.clock.now() - at
  if (Math.abs(age) > most) {
    const when = age > 0 ? `${inSeconds(age)} old` : `${inSeconds(-age)} in the future`
    answers.blind(RUNNERS, blind('expired', `the file is ${when}, and githubFileAge is ${inSeconds(most)}`).reason)
  } else answers.looked(RUNNERS, { to: at, remark: `a file, ${inSeconds(Math.max(0, age))} old` })
  yield { path: bundlePath.githubRunners, content: printed({ total_count: total ?? rows.length, runners: rows }) }
}

function inSeconds(ms: number): string {
  return formatDuration(Math.round(ms / 1000) * 1000)
}

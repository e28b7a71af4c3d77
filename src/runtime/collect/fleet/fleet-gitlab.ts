import { configuredRunners } from '#/audits/gitlab/configured-runners.ts'
import { findListed, readListedRunner } from '#/audits/gitlab/listed-runner.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { numberAt } from '#/core/basics/fields.ts'
import { blind } from '#/core/basics/observed.ts'
import type { BundleFile, JsonObject } from '#/ports/bundle.ts'
import type { GitLab } from '#/ports/gitlab.ts'
import { printed } from '#/runtime/collect/github/github-jobs.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import type { FleetPlan } from './fleet-plan.ts'

const RUNNERS = 'gitlab/runners'
const OWNER = 'gitlab/token-owner'
/** GitLab's list leaves out tags and locks: this many runners of the configuration are asked for one by one. */
const MOST_DETAILS = 50

/** What GitLab itself says of the runners, if it may be asked and no file was given instead. */
export async function* gatherGitLab(means: Means, plan: FleetPlan): AsyncGenerator<BundleFile> {
  const { request, answers } = means
  const { gitlab, fleet } = request
  if (gitlab === null) return
  const group = fleet.declared?.file.gitlab?.group ?? gitlab.group
  if (group === null) {
    const { reason } = blind('not-asked', 'no group is known: declare gitlab.group in the fleet file')
    for (const source of [RUNNERS, OWNER]) if (plan.has(source)) answers.blind(source, reason)
    return
  }
  if (plan.has(RUNNERS) && fleet.gitlabRunners === null) yield* gatherList(means, gitlab.api, group)
  if (plan.has(OWNER)) yield* gatherOwner(means, gitlab.api, group)
}

async function* gatherList(means: Means, api: GitLab, group: string): AsyncGenerator<BundleFile> {
  const { answers, request } = means
  request.progress('asking GitLab for the runners')
  const read = await api.groupRunners(group, request.signal)
  if (read.kind === 'blind') return answers.blind(RUNNERS, read.reason)
  const rows = read.kind === 'seen' ? read.value : []
  answers.looked(RUNNERS, { remark: `of group ${group}` })
  yield { path: bundlePath.gitlabRunners, content: printed(await withDetails(rows, api, means)) }
}

async function* gatherOwner({ answers, request }: Means, api: GitLab, group: string): AsyncGenerator<BundleFile> {
  const owner = await api.tokenOwner(group, request.signal)
  if (owner.kind === 'seen') {
    answers.looked(OWNER)
    yield { path: bundlePath.gitlabTokenOwner, content: printed(owner.value) }
    return
  }
  const { reason } = owner.kind === 'blind' ? owner : blind('unsupported', `the token's owner is no member of ${group}`)
  answers.blind(OWNER, reason)
}

/** Adds what the list leaves out to the runners of the configuration. A detail that cannot be read stays unknown. */
async function withDetails(
  rows: readonly JsonObject[],
  api: GitLab,
  { request: { fleet, signal } }: Means,
): Promise<readonly JsonObject[]> {
  const configured = fleet.gitlabConfig === null ? [] : (configuredRunners(fleet.gitlabConfig) ?? [])
  const listed = rows.map(readListedRunner)
  const wanted = new Set(
    configured.flatMap((runner) => (findListed(runner, listed) ?? []).flatMap(({ id }) => id ?? [])),
  )
  const details = new Map<number, JsonObject>()
  for (const id of [...wanted].slice(0, MOST_DETAILS)) {
    const read = await api.runner(id, signal)
    if (read.kind === 'seen') details.set(id, read.value)
  }
  return rows.map((row) => Object.assign({}, row, pickDetails(details.get(numberAt(row, 'id') ?? 0))))
}

/** Only these: the details of older versions hold the runner's token. */
const DETAILS = ['tag_list', 'run_untagged', 'locked', 'contacted_at'] as const

function pickDetails(detail: JsonObject | undefined): JsonObject {
  return Object.fromEntries(DETAILS.flatMap((key) => (detail?.[key] === undefined ? [] : [[key, detail[key]]])))
}

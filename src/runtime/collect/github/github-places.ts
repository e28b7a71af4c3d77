import { ownerRemark } from '#/core/github/budget-owner.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { textAt } from '#/core/basics/fields.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Registration } from '#/ports/github.ts'
import type { GitHubDocument } from '#/ports/github-documents.ts'
import { printed } from './github-jobs.ts'
import type { Means } from '#/runtime/collect/request/request.ts'

/** Where runners may be registered: with the owners and repositories of the question, and where ARC's records say. */
export function findRegistrations(known: {
  readonly repositories: readonly string[]
  readonly organizations: readonly string[]
  /** ARC's `githubConfigUrl`. */
  readonly configUrls: readonly string[]
}): readonly Registration[] {
  const configured = known.configUrls.flatMap((url) => {
    const [first = '', second, ...more] = (URL.parse(url)?.pathname ?? '').split('/').filter((part) => part !== '')
    if (first === '' || first === 'enterprises' || more.length > 0) return []
    return [second === undefined ? organization(first) : repository(`${first}/${second}`)]
  })
  const owners = known.repositories.flatMap((name) => name.split('/')[0] ?? [])
  const all = [
    ...[...known.organizations, ...owners].map(organization),
    ...known.repositories.map(repository),
    ...configured,
  ]
  return [...new Map(all.map((registration) => [registrationName(registration), registration])).values()]
}

function organization(name: string): Registration {
  return { kind: 'organization', organization: name }
}

function repository(name: string): Registration {
  return { kind: 'repository', repository: name }
}

function registrationName(registration: Registration): string {
  return registration.kind === 'organization' ? registration.organization : registration.repository
}

export function listConfigUrls(runners: readonly object[]): readonly string[] {
  return [...new Set(runners.flatMap((runner) => textAt(runner, 'spec', 'githubConfigUrl') ?? []))]
}

/** Every registration has a list of its own: a runner that is missing in one may be in another. */
export async function* gatherRunners(means: Means, registrations: readonly Registration[]): AsyncGenerator<BundleFile> {
  const { github, signal } = means.request
  if (github === null || registrations.length === 0) return
  means.request.progress('asking GitHub for the runners')
  const rows = new Map<string, GitHubDocument>()
  const unread: string[] = []
  let reason: BlindReason | null = null
  for (const registration of registrations) {
    const read = await github.documents.runners(registration, { signal })
    if (read.kind === 'seen')
      for (const row of read.value) rows.set(`${registrationName(registration)}/${String(row['id'])}`, row)
    if (read.kind === 'blind') {
      reason ??= read.reason
      unread.push(`${registrationName(registration)}: ${read.reason.code}`)
    }
  }
  if (reason !== null && unread.length === registrations.length) return means.answers.blind('github/runners', reason)
  means.answers.looked('github/runners', {
    remark: unread.length === 0 ? null : `without those of ${unread.join('; ')}`,
  })
  yield { path: bundlePath.githubRunners, content: printed({ total_count: rows.size, runners: [...rows.values()] }) }
}

export async function* gatherRateLimit(
  means: Means,
  registrations: readonly Registration[],
): AsyncGenerator<BundleFile> {
  const { github, signal } = means.request
  const [first] = registrations
  const owner = first === undefined ? undefined : registrationName(first).split('/')[0]
  if (github === null || owner === undefined) return
  const read = await github.documents.rateLimit(owner, { signal })
  if (read.kind === 'blind') return means.answers.blind('github/rate-limit', read.reason)
  // An enterprise server may have no limits: then there is nothing to show.
  if (read.kind === 'none') return
  means.answers.looked('github/rate-limit', { remark: ownerRemark(github.access.budgetOwner) })
  yield { path: bundlePath.githubRateLimit, content: printed(read.value) }
}

import { textAt } from '#/core/basics/fields.ts'
import { blind } from '#/core/basics/observed.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import { isSameSite } from '#/core/evidence/subject-argument.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { GitHub } from '#/ports/github.ts'
import type { FleetLists } from './fleet-lists.ts'
import type { FleetPlan } from './fleet-plan.ts'
import { gatherNamedJobs, gatherQueue, queueRepositories } from './fleet-queue.ts'
import type { FleetRegistrations } from './fleet-registrations.ts'
import { fleetRegistrations } from './fleet-registrations.ts'
import { gatherFleetRunners, nobodyToAsk, writeSavedRunners } from './fleet-runners.ts'
import { gatherRateLimit } from '#/runtime/collect/github/github-places.ts'
import type { Means } from '#/runtime/collect/request/request.ts'

/** What is known of the fleet. Without a cluster there are no lists. */
export type Known = { readonly plan: FleetPlan; readonly lists: FleetLists | null }

const ANNOTATIONS = 'github/annotations'
const NO_CREDENTIAL = blind('not-asked', 'no credential for GitHub is configured').reason

/** GitHub's runners, by themselves: they are read between the pods and ARC's records of runners. */
export async function* gatherRunnersAtGitHub(means: Means, known: Known): AsyncGenerator<BundleFile> {
  const { github, fleet } = means.request
  const source = 'github/runners'
  if (!known.plan.has(source)) return
  if (fleet.githubRunners !== null) {
    yield* writeSavedRunners(means, fleet.githubRunners)
    return
  }
  if (github === null) return means.answers.blind(source, NO_CREDENTIAL)
  const why = whyUnplaced(known)
  if (why !== null) return means.answers.blind(source, why)
  yield* gatherFleetRunners(means, github, findFleetRegistrations(means, known))
}

/** Jobs that wait, run or ran, and what is left of the budget. */
export async function* gatherWorkAtGitHub(means: Means, known: Known): AsyncGenerator<BundleFile> {
  const { request, answers } = means
  const { plan } = known
  if (request.github === null) {
    for (const source of ['github/queued-jobs', 'github/jobs', ANNOTATIONS, 'github/rate-limit']) {
      if (plan.has(source)) answers.blind(source, NO_CREDENTIAL)
    }
    return
  }
  yield* gatherJobs(means, request.github, known)
  if (!plan.has('github/rate-limit')) return
  const { asked, beyond } = findFleetRegistrations(means, known)
  if (asked.length === 0) return answers.blind('github/rate-limit', whyUnplaced(known) ?? nobodyToAsk(beyond))
  yield* gatherRateLimit(means, asked)
}

function findFleetRegistrations({ request }: Means, { lists }: Known): FleetRegistrations {
  return fleetRegistrations(lists?.items('autoscalingrunnersets') ?? [], request)
}

/** Where the scale sets cannot be read, those whom the configuration names may be too few. */
function whyUnplaced({ lists }: Known): BlindReason | null {
  const why = lists?.why('autoscalingrunnersets') ?? null
  if (why === null) return null
  return { code: why.code, detail: `where the runners are registered is not known: ${why.detail}` }
}

async function* gatherJobs(means: Means, github: GitHub, known: Known): AsyncGenerator<BundleFile> {
  const { plan, lists } = known
  const { githubUrl, places } = means.request
  const runners = (lists?.items('ephemeralrunners') ?? []).filter((runner) => isHere(runner, githubUrl))
  const registrations = findFleetRegistrations(means, known)
  const repositories = queueRepositories(runners, registrations, places.repositories)
  const { busy } = plan.has('github/queued-jobs')
    ? yield* gatherQueue(means, github, { repositories, registrations })
    : { busy: new Set<string>() }
  if (!plan.has('github/jobs')) return
  const why = lists?.why('ephemeralrunners') ?? null
  const wantsAnnotations = plan.has(ANNOTATIONS)
  if (why === null) {
    yield* gatherNamedJobs(means, github, { runners, busy, wantsAnnotations })
    return
  }
  const detail = `which jobs the runners have is not known: ${why.detail}`
  means.answers.blind('github/jobs', { code: why.code, detail })
  if (wantsAnnotations) means.answers.blind(ANNOTATIONS, { code: why.code, detail })
}

/** A repository of the same name at another GitHub is another one. */
function isHere(runner: object, githubUrl: string): boolean {
  const url = textAt(runner, 'spec', 'githubConfigUrl')
  return url === null || isSameSite(URL.parse(url)?.host ?? '', githubUrl)
}

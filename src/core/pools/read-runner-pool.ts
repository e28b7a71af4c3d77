import { at, textAt } from '#/core/basics/fields.ts'
import { checkTemplate } from './check-template.ts'
import { SCOPES, SHUTDOWNS } from './runner-pool.ts'
import type { PoolRegistration, PoolSize, RunnerPool, Share } from './runner-pool.ts'
import { SpecReader } from './spec-reader.ts'
import type { SpecProblem } from './spec-reader.ts'

export type PoolReading =
  | { readonly kind: 'valid'; readonly pool: RunnerPool }
  | { readonly kind: 'invalid'; readonly problems: readonly SpecProblem[] }

const MOST_PODS = 100_000
const SECOND = 1000
const HOUR = 3600 * SECOND
/** The name of a runner at GitHub has 64 characters and begins with it. */
const LONGEST_NAME = 50
const FIELDS = ['labels', 'github', 'size', 'fairness', 'rollout', 'shutdown', 'template'] as const

/** Checks a RunnerPool. The API server has checked most of it by the CRD; a pool from the configuration has only this. */
export function readRunnerPool(object: unknown): PoolReading {
  const problems: SpecProblem[] = []
  const spec = new SpecReader(at(object, 'spec') ?? undefined, 'spec', problems)
  spec.allow(FIELDS)
  const name = textAt(object, 'metadata', 'name') ?? ''
  if (name.length > LONGEST_NAME) {
    problems.push({
      path: 'metadata.name',
      why: `is longer than ${LONGEST_NAME} characters; the names of pods begin with it`,
    })
  }
  const github = readRegistration(spec.section('github'))
  const pool: RunnerPool = {
    namespace: textAt(object, 'metadata', 'namespace') ?? '',
    name,
    labels: readLabels(spec),
    github,
    size: readSize(spec.section('size')),
    fairness: readFairness(spec.section('fairness'), github),
    rollout: readRollout(spec.section('rollout')),
    shutdown: spec.choice('shutdown', SHUTDOWNS, 'finish'),
    template: checkTemplate(spec.section('template')),
  }
  return problems.length === 0 ? { kind: 'valid', pool } : { kind: 'invalid', problems }
}

const MOST_LABELS = 50
const LONGEST_LABEL = 256

function readLabels(spec: SpecReader): readonly string[] {
  const labels = spec.texts('labels')
  if (labels.length === 0) spec.refuse('labels', 'is empty; write the labels that workflows use in runs-on')
  if (labels.length > MOST_LABELS) spec.refuse('labels', `has ${labels.length} labels; at most ${MOST_LABELS}`)
  const known = new Set<string>()
  for (const [index, label] of labels.entries()) {
    const place = `labels[${index}]`
    if (/[\s,]/.test(label)) spec.refuse(place, `is "${label}"; a label has no spaces and no commas`)
    if (label.length > LONGEST_LABEL) spec.refuse(place, `is longer than ${LONGEST_LABEL} characters`)
    if (known.has(label.toLowerCase())) spec.refuse(place, `is "${label}" again; GitHub ignores case`)
    known.add(label.toLowerCase())
  }
  return labels
}

const OWNER = /^[a-z\d](?:[a-z\d-]{0,98}[a-z\d])?$/i
const REPOSITORY = /^[\w.-]{1,100}$/

function readRegistration(github: SpecReader): PoolRegistration {
  github.allow(['scope', 'owner', 'repositories', 'runnerGroup', 'credential'])
  const scope = github.choice('scope', SCOPES, 'repository')
  const owner = github.text('owner')
  if (owner !== '' && !OWNER.test(owner))
    github.refuse('owner', `is "${owner}"; write the name of a user or organisation`)
  const repositories = readRepositories(github, scope)
  const group = github.value('runnerGroup') === undefined ? null : github.text('runnerGroup')
  if (group !== null && group.toLowerCase() !== 'default' && scope === 'repository') {
    github.refuse('runnerGroup', `is "${group}"; only organisations have runner groups`)
  }
  return { scope, owner, repositories, runnerGroup: group, credential: github.text('credential') }
}

function readRepositories(github: SpecReader, scope: PoolRegistration['scope']): readonly string[] {
  const repositories = github.texts('repositories')
  if (scope === 'repository' && repositories.length === 0) {
    github.refuse('repositories', 'is empty; under scope repository write at least one')
  }
  if (scope === 'organization' && repositories.length > 0) {
    github.refuse('repositories', 'has no effect under scope organization: limit the runner group at GitHub instead')
  }
  for (const [index, repository] of repositories.entries()) {
    if (!REPOSITORY.test(repository)) {
      github.refuse(`repositories[${index}]`, `is "${repository}"; write the name without its owner`)
    }
  }
  return repositories
}

function readSize(size: SpecReader): PoolSize {
  size.allow(['warm', 'max', 'startTimeout', 'idleTimeout'])
  const warm = size.count('warm', { least: 0, most: MOST_PODS, otherwise: 0 })
  const max = size.count('max', { least: 1, most: MOST_PODS, otherwise: null })
  if (warm > max) size.refuse('warm', `is ${warm}, more than max (${max})`)
  const startTimeoutMs = size.duration('startTimeout', {
    leastMs: 10 * SECOND,
    mostMs: 24 * HOUR,
    otherwiseMs: 300 * SECOND,
  })
  const idleTimeoutMs = size.duration('idleTimeout', {
    leastMs: 60 * SECOND,
    mostMs: 168 * HOUR,
    otherwiseMs: 1800 * SECOND,
  })
  return { warm, max, startTimeoutMs, idleTimeoutMs }
}

function readFairness(fairness: SpecReader, registration: PoolRegistration): RunnerPool['fairness'] {
  fairness.allow(['weights', 'caps', 'priorities'])
  const rules = {
    weights: fairness.numbers('weights', (value) => value > 0 && value <= 1e6, 'a number above 0'),
    caps: fairness.numbers('caps', (value) => Number.isSafeInteger(value) && value >= 0, 'a whole number'),
    priorities: fairness.numbers('priorities', (value) => Math.abs(value) <= 1000, 'a number from -1000 to 1000'),
  }
  for (const [section, names] of Object.entries(rules)) {
    for (const name of names.keys()) {
      const why = whyNoHolder(section === 'priorities' ? name.replace(/:.*$/, '') : name, registration)
      if (why !== null) fairness.refuse(`${section}.${name}`, why)
    }
  }
  return rules
}

/** An owner or a repository that the pool serves. */
function whyNoHolder(name: string, { owner, repositories, scope }: PoolRegistration): string | null {
  const [named = '', repository, ...rest] = name.split('/')
  if (rest.length > 0 || named === '') return 'is no name; write OWNER or OWNER/REPOSITORY'
  const isForeign = owner !== '' && named.toLowerCase() !== owner.toLowerCase()
  const isUnknown = scope === 'repository' && repository !== undefined && !repositories.includes(repository)
  return isForeign || isUnknown ? 'names what this pool does not serve' : null
}

function readRollout(rollout: SpecReader): RunnerPool['rollout'] {
  rollout.allow(['maxUnavailable'])
  const value = rollout.value('maxUnavailable')
  const share = value === undefined ? QUARTER : readShare(value)
  if (share === null) rollout.refuse('maxUnavailable', 'is no share; write a whole number above 0, or 1% to 100%')
  return { maxUnavailable: share ?? QUARTER }
}

const QUARTER: Share = { kind: 'percent', value: 25 }

function readShare(value: unknown): Share | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? { kind: 'count', value } : null
  const percent = typeof value === 'string' ? Number(/^(\d{1,3})%$/.exec(value)?.[1]) : Number.NaN
  return percent >= 1 && percent <= 100 ? { kind: 'percent', value: percent } : null
}

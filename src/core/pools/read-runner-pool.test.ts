import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import { readRunnerPool } from './read-runner-pool.ts'

const RUNNER = { name: 'runner', image: 'ghcr.io/actions/actions-runner:2.336.0' }
const SPEC = {
  labels: ['linux-4x16'],
  github: {
    scope: 'repository',
    owner: 'acme',
    repositories: ['app', 'api'],
    runnerGroup: 'default',
    credential: 'github-app',
  },
  size: { warm: 2, max: 20, startTimeout: '5m', idleTimeout: '30m' },
  fairness: { weights: { 'acme/app': 2 }, caps: { 'acme/api': 5 } },
  rollout: { maxUnavailable: '25%' },
  shutdown: 'finish',
  template: { spec: { containers: [RUNNER] } },
}
const METADATA = { name: 'linux', namespace: 'runners' }
const read = (spec: unknown) => readRunnerPool({ metadata: METADATA, spec })

describe('readRunnerPool', () => {
  it('reads the example of the contract', () => {
    expect(read(SPEC)).toMatchObject({
      kind: 'valid',
      pool: {
        ...METADATA,
        labels: ['linux-4x16'],
        github: { scope: 'repository', owner: 'acme', repositories: ['app', 'api'] },
        size: { warm: 2, max: 20, startTimeoutMs: 300_000, idleTimeoutMs: 1_800_000 },
        fairness: { weights: new Map([['acme/app', 2]]), caps: new Map([['acme/api', 5]]) },
        rollout: { maxUnavailable: { kind: 'percent', value: 25 } },
        shutdown: 'finish',
      },
    })
  })

  it('needs little: labels, owner, repositories, credential, max and a runner', () => {
    const github = { owner: 'acme', repositories: ['app'], credential: 'app' }
    const least = { labels: ['linux'], github, size: { max: 1 }, template: { spec: { containers: [RUNNER] } } }
    expect(read(least)).toMatchObject({ kind: 'valid', pool: { size: { warm: 0 }, shutdown: 'finish' } })
  })

  const without = (key: string): Fields => Object.fromEntries(Object.entries(SPEC).filter(([name]) => name !== key))
  const withGithub = (changes: Fields) => ({ ...SPEC, github: { ...SPEC.github, ...changes } })
  const withSize = (changes: Fields) => ({ ...SPEC, size: { ...SPEC.size, ...changes } })
  const withPod = (spec: Fields) => ({ ...SPEC, template: { spec: { containers: [RUNNER], ...spec } } })

  it.each<[string, unknown, string, RegExp]>([
    ['no labels', without('labels'), 'spec.labels', /is empty/],
    ['a label that is no text', { ...SPEC, labels: [4] }, 'spec.labels[0]', /is 4; write a text/],
    ['labels as one text', { ...SPEC, labels: 'linux' }, 'spec.labels', /write a list/],
    ['a label with a space', { ...SPEC, labels: ['linux x64'] }, 'spec.labels[0]', /no spaces/],
    ['a label twice', { ...SPEC, labels: ['linux', 'Linux'] }, 'spec.labels[1]', /ignores case/],
    ['a field with a typo', { ...SPEC, tempalte: {} }, 'spec.tempalte', /did you mean template/],
    ['no GitHub section', without('github'), 'spec.github.owner', /is required/],
    ['an unknown scope', withGithub({ scope: 'enterprise' }), 'spec.github.scope', /repository or organization/],
    ['an owner with a slash', withGithub({ owner: 'acme/app' }), 'spec.github.owner', /name of a user/],
    ['no repositories', withGithub({ repositories: [] }), 'spec.github.repositories', /at least one/],
    [
      'a repository with its owner',
      withGithub({ repositories: ['acme/app'] }),
      'spec.github.repositories[0]',
      /without its owner/,
    ],
    ['repositories of an organisation', withGithub({ scope: 'organization' }), 'spec.github.repositories', /no effect/],
    [
      'a runner group of a repository',
      withGithub({ runnerGroup: 'gpu' }),
      'spec.github.runnerGroup',
      /only organisations/,
    ],
    ['no credential', withGithub({ credential: '' }), 'spec.github.credential', /write a text/],
    ['no maximum', { ...SPEC, size: { warm: 0 } }, 'spec.size.max', /is required/],
    ['more warm than max', withSize({ warm: 30 }), 'spec.size.warm', /more than max/],
    ['a negative floor', withSize({ warm: -1 }), 'spec.size.warm', /whole number/],
    ['a time without a unit', withSize({ startTimeout: '300' }), 'spec.size.startTimeout', /for example 90s/],
    ['a time that is too short', withSize({ idleTimeout: '1s' }), 'spec.size.idleTimeout', /from 1m/],
    [
      'a weight of zero',
      { ...SPEC, fairness: { weights: { 'acme/app': 0 } } },
      'spec.fairness.weights.acme/app',
      /above 0/,
    ],
    [
      'a cap on somebody else',
      { ...SPEC, fairness: { caps: { 'initech/x': 1 } } },
      'spec.fairness.caps.initech/x',
      /does not serve/,
    ],
    [
      'a name of three parts',
      { ...SPEC, fairness: { caps: { 'acme/a/b': 1 } } },
      'spec.fairness.caps.acme/a/b',
      /OWNER/,
    ],
    ['a share of nothing', { ...SPEC, rollout: { maxUnavailable: '0%' } }, 'spec.rollout.maxUnavailable', /1% to 100%/],
    ['an unknown shutdown', { ...SPEC, shutdown: 'kill' }, 'spec.shutdown', /finish or report/],
    ['no template', without('template'), 'spec.template.spec', /is required/],
    [
      'no container named runner',
      withPod({ containers: [{ name: 'main' }] }),
      'spec.template.spec.containers',
      /named runner/,
    ],
    [
      'a runner without an image',
      withPod({ containers: [{ name: 'runner' }] }),
      'spec.template.spec.containers[0].image',
      /required/,
    ],
    [
      'two containers of a name',
      withPod({ initContainers: [RUNNER] }),
      'spec.template.spec.containers',
      /two containers/,
    ],
    [
      'a container with our name',
      withPod({ initContainers: [{ name: 'poller' }] }),
      'spec.template.spec.initContainers',
      /ours/,
    ],
    [
      'a mounted token',
      withPod({ automountServiceAccountToken: true }),
      'spec.template.spec.automountServiceAccountToken',
      /token/,
    ],
    [
      'a projected token',
      withPod({ volumes: [{ name: 't', projected: { sources: [{ serviceAccountToken: {} }] } }] }),
      'spec.template.spec.volumes[0]',
      /a job could use it/,
    ],
    [
      'a volume with our name',
      withPod({ volumes: [{ name: 'signalbox-jit' }] }),
      'spec.template.spec.volumes[0].name',
      /ours/,
    ],
    ['a runner that restarts', withPod({ restartPolicy: 'Always' }), 'spec.template.spec.restartPolicy', /one job/],
    [
      'a mount of our token',
      withPod({ containers: [{ ...RUNNER, volumeMounts: [{ name: 'signalbox-token', mountPath: '/t' }] }] }),
      'spec.template.spec.containers[0].volumeMounts[0]',
      /which is ours/,
    ],
    [
      'arguments without a command',
      withPod({ containers: [{ ...RUNNER, args: ['--once'] }] }),
      'spec.template.spec.containers[0].args',
      /command too/,
    ],
    ['no object at all', 'linux', 'spec', /write an object/],
  ])('refuses %s, and names the field', (_title, spec, path, why) => {
    const reading = read(spec)
    expect(reading.kind).toBe('invalid')
    const problems = reading.kind === 'invalid' ? reading.problems : []
    expect(problems.map((problem) => problem.path)).toContain(path)
    expect(problems.find((problem) => problem.path === path)?.why).toMatch(why)
  })

  it('refuses a name that no pod could have', () => {
    const reading = readRunnerPool({ metadata: { ...METADATA, name: 'p'.repeat(51) }, spec: SPEC })
    expect(reading).toMatchObject({ problems: [{ path: 'metadata.name' }] })
  })

  it('names every mistake at once', () => {
    const reading = read({ ...SPEC, labels: [], shutdown: 'kill', size: { warm: -1, max: 0 } })
    expect(reading.kind === 'invalid' && reading.problems.map(({ path }) => path)).toEqual([
      'spec.labels',
      'spec.size.warm',
      'spec.size.max',
      'spec.shutdown',
    ])
  })
})

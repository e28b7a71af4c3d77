import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { at, textAt, toFields } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { buildPod } from '#/core/pools/build-pod.ts'
import { readRunnerPool } from '#/core/pools/read-runner-pool.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import { BUSYBOX_IMAGE } from '#test/cluster/busybox-image.ts'
import { createNamespace, podPath, readLog, readPod, untilPhase } from '#test/cluster/pods.ts'
import { describeWithPrivateNode } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { JIT, job, nothingYet, startDispatchServer } from '#test/runner/dispatch-server.ts'
import { runnerScript } from '#test/runner/shells.ts'

const TIMEOUT = { timeout: 400_000 }
const DEFINITION = path.resolve(import.meta.dirname, '..', '..', 'deploy', 'chart', 'crds', 'runnerpools.yaml')
const RUNNER = { name: 'runner', image: BUSYBOX_IMAGE, imagePullPolicy: 'Never' }
const SPEC = {
  labels: ['linux-4x16'],
  github: { scope: 'repository', owner: 'acme', repositories: ['app', 'api'], credential: 'github-app' },
  size: { warm: 2, max: 20, startTimeout: '5m', idleTimeout: '1h30m' },
  fairness: { weights: { 'acme/app': 2.5 }, caps: { 'acme/api': 5 }, priorities: { 'acme/app:deploy': 3 } },
  rollout: { maxUnavailable: '25%' },
  shutdown: 'finish',
  template: { metadata: { labels: { team: 'a' } }, spec: { containers: [RUNNER] } },
}
const withGithub = (changes: Fields) => ({ ...SPEC, github: { ...SPEC.github, ...changes } })
const withSize = (changes: Fields) => ({ ...SPEC, size: { ...SPEC.size, ...changes } })
const withPod = (spec: Fields) => ({ ...SPEC, template: { spec: { containers: [RUNNER], ...spec } } })
const without = (key: string) => Object.fromEntries(Object.entries(SPEC).filter(([name]) => name !== key))
const PROJECTED = { name: 't', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }

/** What somebody writes by mistake, and the field that the answer must name. */
const MISTAKES: readonly (readonly [string, unknown, string])[] = [
  ['no labels', without('labels'), 'spec.labels'],
  ['no label in the list', { ...SPEC, labels: [] }, 'spec.labels'],
  ['a label with a space', { ...SPEC, labels: ['linux x64'] }, 'spec.labels[0]'],
  ['a label twice', { ...SPEC, labels: ['linux', 'Linux'] }, 'spec.labels'],
  ['a label that is a number', { ...SPEC, labels: [4] }, 'spec.labels[0]'],
  ['no GitHub section', without('github'), 'spec.github'],
  ['an unknown scope', withGithub({ scope: 'enterprise' }), 'spec.github.scope'],
  ['an owner with a repository', withGithub({ owner: 'acme/app' }), 'spec.github.owner'],
  ['no repositories', withGithub({ repositories: [] }), 'spec.github.repositories'],
  ['a repository with its owner', withGithub({ repositories: ['acme/app'] }), 'spec.github.repositories[0]'],
  ['repositories of an organisation', withGithub({ scope: 'organization' }), 'spec.github.repositories'],
  ['a runner group of a repository', withGithub({ runnerGroup: 'gpu' }), 'spec.github.runnerGroup'],
  ['an empty credential', withGithub({ credential: '' }), 'spec.github.credential'],
  ['no maximum', { ...SPEC, size: { warm: 1 } }, 'spec.size.max'],
  ['more warm than max', withSize({ warm: 30 }), 'spec.size.warm'],
  ['a negative floor', withSize({ warm: -1 }), 'spec.size.warm'],
  ['a time without a unit', withSize({ startTimeout: '300' }), 'spec.size.startTimeout'],
  ['a time that is too short', withSize({ idleTimeout: '1s' }), 'spec.size.idleTimeout'],
  ['a weight of zero', { ...SPEC, fairness: { weights: { 'acme/app': 0 } } }, 'spec.fairness.weights'],
  ['a cap on somebody else', { ...SPEC, fairness: { caps: { 'initech/x': 1 } } }, 'spec.fairness.caps'],
  ['a cap on an unknown repository', { ...SPEC, fairness: { caps: { 'acme/x': 1 } } }, 'spec.fairness.caps'],
  ['half a slot', { ...SPEC, fairness: { caps: { 'acme/app': 0.5 } } }, 'spec.fairness.caps'],
  ['a share of nothing', { ...SPEC, rollout: { maxUnavailable: '0%' } }, 'spec.rollout.maxUnavailable'],
  ['no pod at a time', { ...SPEC, rollout: { maxUnavailable: 0 } }, 'spec.rollout.maxUnavailable'],
  ['an unknown shutdown', { ...SPEC, shutdown: 'kill' }, 'spec.shutdown'],
  ['a field with a typo', { ...SPEC, shutdwon: 'finish' }, 'spec.shutdwon'],
  ['no template', without('template'), 'spec.template'],
  ['no container named runner', withPod({ containers: [{ name: 'main' }] }), 'spec.template.spec'],
  ['a runner without an image', withPod({ containers: [{ name: 'runner' }] }), 'spec.template.spec.containers'],
  ['two containers of a name', withPod({ containers: [RUNNER, RUNNER] }), 'spec.template.spec.containers'],
  ['a container with our name', withPod({ initContainers: [{ name: 'poller' }] }), 'spec.template.spec.initContainers'],
  ['an init container named runner', withPod({ initContainers: [RUNNER] }), 'spec.template.spec.initContainers'],
  ['a mounted token', withPod({ automountServiceAccountToken: true }), 'automountServiceAccountToken'],
  ['a projected token', withPod({ volumes: [PROJECTED] }), 'spec.template.spec.volumes'],
  ['a volume with our name', withPod({ volumes: [{ name: 'signalbox-jit' }] }), 'spec.template.spec.volumes'],
  ['a runner that restarts', withPod({ restartPolicy: 'Always' }), 'spec.template.spec.restartPolicy'],
]

const script = (name: string): string => readFileSync(runnerScript(name), 'utf8')
const settings = (url: string) => ({
  url,
  ca: null,
  scripts: { poller: script('poller.sh'), runner: script('run-job.sh'), vitals: script('vitals.sh') },
})

function declared(object: Fields): RunnerPool {
  const reading = readRunnerPool(object)
  if (reading.kind === 'invalid') throw new Error(JSON.stringify(reading.problems))
  return reading.pool
}

describeWithPrivateNode('a RunnerPool on a real API server', (cluster) => {
  let namespace = ''
  let pools = ''
  const declare = (name: string, spec: unknown): Fields => ({
    apiVersion: 'signalbox.dev/v1alpha1',
    kind: 'RunnerPool',
    metadata: { name, namespace },
    spec,
  })

  beforeAll(async () => {
    namespace = await createNamespace(cluster(), 'pools')
    pools = `/apis/signalbox.dev/v1alpha1/namespaces/${namespace}/runnerpools`
    const body = parseDocument(readFileSync(DEFINITION, 'utf8')).toJS() as unknown
    await cluster().callOk({
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body,
    })
    await until({
      what: 'the API server to serve runnerpools',
      timeoutMs: 60_000,
      probe: async () => ((await cluster().call({ path: pools })).status === 200 ? true : undefined),
    })
  }, 400_000)

  test('has a structural schema, and nothing to complain about', TIMEOUT, async () => {
    const found = await cluster().callOk({
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/runnerpools.signalbox.dev',
    })
    const conditions = at(found, 'status', 'conditions') as readonly {
      readonly type: string
      readonly status: string
    }[]
    expect(conditions.filter(({ type }) => type === 'NonStructuralSchema')).toEqual([])
    expect(at(found, 'status', 'acceptedNames', 'shortNames')).toEqual(['rpool'])
  })

  test.for(MISTAKES)('refuses %s, and names the field', TIMEOUT, async ([title, spec, field]) => {
    const name = title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
    const strict = `${pools}?dryRun=All&fieldValidation=Strict`
    const answer = await cluster().call({ method: 'POST', path: strict, body: declare(name, spec) })
    const reading = readRunnerPool(declare(name, spec))
    const found = reading.kind === 'invalid' ? reading.problems.map(({ path: place, why }) => `${place} ${why}`) : []
    const said = answer.status === 201 ? found.join('\n') : answer.text
    expect(said).toContain(field)
    // A pool from a file has no API server in front of it.
    if (!title.startsWith('two containers')) expect(found.join('\n')).not.toBe('')
  })

  test('refuses a name that no pod could have', TIMEOUT, async () => {
    const body = declare('p'.repeat(51), SPEC)
    const answer = await cluster().call({ method: 'POST', path: `${pools}?dryRun=All`, body })
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('metadata.name is longer')])
  })

  test('accepts what is right, and fills in what was left out', TIMEOUT, async () => {
    const github = { owner: 'acme', repositories: ['app'], credential: 'app' }
    const least = { labels: ['linux'], github, size: { max: 1 }, template: { spec: { containers: [RUNNER] } } }
    const created = await cluster().callOk({ method: 'POST', path: pools, body: declare('least', least) })
    expect(created).toMatchObject({ spec: { shutdown: 'finish', github: { scope: 'repository' }, size: { warm: 0 } } })
    const organisation = withGithub({ scope: 'organization', repositories: undefined, runnerGroup: 'gpu' })
    const goods = [SPEC, { ...organisation, fairness: {} }, { ...SPEC, rollout: { maxUnavailable: 3 } }]
    for (const [index, spec] of goods.entries()) {
      const body = declare(`good-${index}`, spec)
      const path = `${pools}?fieldValidation=Strict`
      const kept = toFields(await cluster().callOk({ method: 'POST', path, body }))
      expect(readRunnerPool(kept)).toEqual(readRunnerPool(body))
    }
    const status = {
      conditions: [{ type: 'Ready', status: 'True', reason: 'Warm', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      replicas: { starting: 0, idle: 2, busy: 3, terminating: 0 },
      queued: { dispatchable: 1, withheld: 0 },
    }
    const patched = await cluster().callOk({
      method: 'PATCH',
      path: `${pools}/least/status`,
      contentType: 'application/merge-patch+json',
      body: { status },
    })
    expect(patched).toMatchObject({ status })
  })

  test('has pods that the API server accepts', TIMEOUT, async () => {
    const daemon = {
      name: 'dind',
      image: 'docker:dind',
      restartPolicy: 'Always',
      securityContext: { privileged: true },
      volumeMounts: [{ name: 'work', mountPath: '/home/runner/_work' }],
    }
    const templates = [
      {},
      { initContainers: [daemon], terminationGracePeriodSeconds: 7200, tolerations: [{ operator: 'Exists' }] },
      { containers: [{ ...RUNNER, resources: { requests: { cpu: 1, 'ephemeral-storage': '90Gi' } } }] },
      { securityContext: { runAsUser: 1001, fsGroup: 123 } },
    ]
    for (const template of templates) {
      const pod = buildPod(declared(declare('linux', withPod(template))), settings('http://127.0.0.1:1'), 'linux-1')
      const path = `/api/v1/namespaces/${namespace}/pods?dryRun=All&fieldValidation=Strict`
      const answer = await cluster().call({ method: 'POST', path, body: pod })
      expect([answer.status, answer.status === 201 ? '' : answer.text]).toEqual([201, ''])
    }
  })

  test('runs a job on the node in a container without a token', TIMEOUT, async () => {
    await using server = await startDispatchServer([nothingYet, job])
    const search = [
      'echo "got ${#ACTIONS_RUNNER_INPUT_JITCONFIG} characters"',
      'find / -xdev -name "token*" -not -path "/proc/*" -not -path "/sys/*" 2>/dev/null',
      'ls /var/run/secrets 2>&1 | head -n 1',
      'mount | grep -c serviceaccount',
      'ls -A /signalbox /signalbox/jit',
      'env | grep -i -e token -e eyJ -v -e "^ACTIONS_RUNNER_INPUT" | grep -c eyJhbGciOi',
      'touch /signalbox/scripts/x 2>&1 | tail -n 1',
      'touch /home/runner/_work/x && echo "has a work folder"',
      'echo "pid of the script: $PPID"',
    ].join('\n')
    const runner = { ...RUNNER, command: ['sh', '-c', search] }
    const pool = declared(declare('linux', withPod({ hostNetwork: true, containers: [runner] })))
    const pod = { namespace, name: 'linux-1' }
    const body = buildPod(pool, settings(server.url), pod.name)
    await cluster().callOk({ method: 'POST', path: `/api/v1/namespaces/${namespace}/pods`, body })
    const ended = await untilPhase(cluster(), pod, 'Succeeded')
    expect(await readLog(cluster(), pod, 'poller')).toContain('a job came for runner linux-1-aa (id 4711)')
    const log = await readLog(cluster(), pod, 'runner')
    expect(log).toContain(`got ${JIT.length} characters`)
    expect(log).toContain('No such file or directory')
    expect(log).toMatch(/Read-only file system/)
    expect(log).toContain('has a work folder')
    expect(log).toContain('signalbox-vitals 1 ')
    expect(log).toContain('the runner ended with exit code 0')
    expect(log).not.toMatch(/\/token/)
    expect(log).not.toContain('serviceaccount')

    const token = (server.requests[0]?.token ?? '').replace('Bearer ', '')
    const review = await cluster().callOk({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token, audiences: ['signalbox-dispatch'] },
      },
    })
    expect(review).toMatchObject({
      status: {
        authenticated: true,
        user: { extra: { 'authentication.kubernetes.io/pod-uid': [ended.metadata?.uid] } },
      },
    })

    await cluster().callOk({ method: 'DELETE', path: `${podPath(pod)}?gracePeriodSeconds=0` })
    const kept = await readPod(cluster(), pod)
    expect(textAt(kept, 'metadata', 'deletionTimestamp')).not.toBeNull()
    await cluster().callOk({
      method: 'PATCH',
      path: podPath(pod),
      contentType: 'application/merge-patch+json',
      body: { metadata: { finalizers: null } },
    })
    expect(await readPod(cluster(), pod)).toBeUndefined()
  })
})

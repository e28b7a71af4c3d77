import { describe, expect, it } from 'vitest'
import { sourceFiles } from './source-files.ts'

/** The wide ports can remove too, for the contract suites: a call of theirs in src is found by its name. */
const REMOVALS = [
  String.raw`\.(?:evict|deregister|scaleToZero|setCap|recreateListener|applySecret|deleteCollection)\(`,
  String.raw`\b(?:kubernetes|cluster)\.(?:delete|remove)\(`,
  String.raw`\.(?:rerunFailed|rerunJob|rerunRun|cancelRun|forceCancel)\(`,
  // Whatever port a request goes through.
  String.raw`['"\x60/](?:rerun|rerun-failed-jobs|force-cancel)['"\x60]|/cancel['"\x60]`,
  String.raw`\bmethod: 'DELETE'`,
  // A patch that takes an object's finalizers, or its replicas.
  String.raw`\bfinalizers: (?:null|\[\])|/metadata/finalizers`,
  String.raw`\bspec: \{ replicas\b|/spec/replicas|['"]scale['"]`,
]
const REMOVES = new RegExp(REMOVALS.join('|'), 'u')

const MAY: readonly RegExp[] = [
  /^src\/runtime\/act\//u,
  /^src\/adapters\/(?:kubernetes|github)\/acts\.ts$/u,
  // It deletes the pod that it made itself, by UID and by its own label.
  /^src\/runtime\/audit\/run-probe\.ts$/u,
  // The wide ports themselves, which only the acts call.
  /^src\/adapters\/kubernetes\/write\.ts$/u,
  /^src\/adapters\/github\/(?:runners|jobs)\.ts$/u,
  // Of our own server: a token of its.
  /^src\/cli\/token\/revoke\.ts$/u,
  // The simulated GitHub is where it happens, not who does it.
  /^src\/sim\//u,
]

const isSource = /^src\/.*(?<!\.test)\.ts$/u

describe('what removes something', () => {
  it('is called in src/runtime/act only', () => {
    const callers = sourceFiles(isSource).filter(({ text }) => REMOVES.test(text))
    expect(callers.map(({ path }) => path).filter((path) => !MAY.some((one) => one.test(path)))).toEqual([])
  })

  it('is looked for in every layer', () => {
    const layers = new Set(sourceFiles(isSource).map(({ path }) => path.split('/')[1]))
    expect([...layers]).toEqual(expect.arrayContaining(['cli', 'app', 'adapters', 'server', 'runtime', 'core']))
  })

  it('is nothing that an exception no longer needs', () => {
    const callers = sourceFiles(isSource).filter(({ text }) => REMOVES.test(text))
    expect(MAY.filter((one) => !callers.some(({ path }) => one.test(path)))).toEqual([])
  })

  it.each([
    'await kubernetes.delete({',
    'github.runners.deregister(at, 1)',
    'this.#cluster.evict(pod)',
    'acts.setCap(set, cap)',
    'kubernetes.patch({ patch: { kind: "merge", changes: { metadata: { finalizers: null } } } })',
    "[{ op: 'remove', path: '/metadata/finalizers' }]",
    "patch({ kind: 'merge', changes: { spec: { replicas: 0 } } })",
    "[{ op: 'replace', path: '/spec/replicas', value: 0 }]",
    "kubernetes.patch({ resource, name, subresource: 'scale' })",
    "request(client, repository, ['runs', run, 'rerun-failed-jobs'])",
    'ask({ path: `/repos/${repository}/actions/runs/${run}/cancel` })',
    "ask({ path: base + '/force-cancel' })",
    'github.jobs.rerunFailed(repository, run)',
    "client.ask({ method: 'DELETE', ...by })",
  ])('is recognised in: %s', (line) => {
    expect(REMOVES.test(line)).toBe(true)
  })

  it.each(["replicas: numberAt(object, 'spec', 'replicas')", 'reader.cancel()', 'cancelledHandoffs(view)'])(
    'is not seen in: %s',
    (line) => {
      expect(REMOVES.test(line)).toBe(false)
    },
  )
})

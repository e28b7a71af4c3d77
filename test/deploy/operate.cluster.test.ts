import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { POLICY_IDS } from '#/core/interlock/policy.ts'
import { readRole } from '#test/operate/grant.ts'
import { CHART, missingForHelm, provideHelm, runHelm } from './helm.ts'
import { podSpec } from './pod-spec.ts'
import { NAMESPACE, one, RELEASE, render, settings, shownIn, template } from './render.ts'
import type { Manifest } from './render.ts'
import { describeUnless } from './suites.ts'
import { grantedBy } from './rights.ts'
import type { Rule } from './rights.ts'

const BUILD_MS = 20 * 60_000
const PAGE = join(CHART, '..', '..', 'docs', 'operate.md')
const NAME = `${RELEASE}-operate`
const WATCH = { 'watch.namespaces': ['arc-runners'] }
const ON = { ...WATCH, 'operate.enabled': true }
const ALL = {
  ...ON,
  'operate.namespaces': ['arc-runners', 'arc-more'],
  'operate.controllerNamespace': 'arc-systems',
  'operate.listeners': true,
  'operate.exec': true,
  'operate.pullSecrets.namespaces': ['arc-runners', 'arc-systems'],
} as const
const REAP = {
  ...ALL,
  'operate.reap.enabled': true,
  'operate.reap.policies': ['zombie'],
  'operate.reap.token.existingSecret': 'reap',
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-chart-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function refusal(values: Readonly<Record<string, unknown>>): Promise<string> {
  const { code, stderr } = await template(folder, values)
  return code === 0 ? 'accepted' : stderr
}

const roles = (manifests: readonly Manifest[]) =>
  manifests.filter(({ kind, metadata }) => kind === 'Role' && metadata.name.startsWith(NAME))
const rights = (role: Manifest | undefined) => grantedBy((role?.['rules'] ?? []) as readonly Rule[])
const places = (manifests: readonly Manifest[], name: string) =>
  roles(manifests)
    .filter(({ metadata }) => metadata.name === name)
    .map(({ metadata }) => metadata.namespace)

describeUnless(missingForHelm(), 'the rights to operate, in the chart', () => {
  beforeAll(async () => {
    await provideHelm()
  }, BUILD_MS)

  it('are not there by default, and neither is the CronJob', async () => {
    const manifests = await render(folder, WATCH)
    expect(
      manifests.filter(({ metadata }) => metadata.name.includes('operate') || metadata.name.includes('reap')),
    ).toEqual([])
  })

  it.each([
    ['role.yaml', NAME, ['arc-runners', 'arc-more']],
    ['exec.yaml', `${NAME}-exec`, ['arc-runners', 'arc-more']],
    ['listeners.yaml', `${NAME}-listeners`, ['arc-systems']],
    ['secrets.yaml', `${NAME}-secrets`, ['arc-runners', 'arc-systems']],
  ] as const)('are those of deploy/operate/%s, only in the namespaces that are named', async (file, name, expected) => {
    const manifests = await render(folder, ALL)
    expect(places(manifests, name)).toEqual(expected)
    const own = roles(manifests).find(({ metadata }) => metadata.name === name)
    expect(rights(own)).toEqual(grantedBy(readRole(file).rules))
    const { subjects } = one(manifests, 'RoleBinding', name) as unknown as { readonly subjects: unknown }
    expect(subjects).toEqual([{ kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE }])
  })

  it('are without exec, listeners and Secrets unless these are asked for', async () => {
    const manifests = await render(folder, ON)
    expect(new Set(roles(manifests).map(({ metadata }) => metadata.name))).toEqual(new Set([NAME, `${NAME}-reads`]))
    expect(manifests.some(({ kind }) => kind === 'CronJob')).toBe(false)
  })

  it('are never those of the server', async () => {
    const before = (await render(folder, WATCH)).filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
    const after = await render(folder, ALL)
    for (const role of before) expect(one(after, role.kind, role.metadata.name)).toEqual(role)
  })

  it('need namespaces by name, policies and a token', async () => {
    expect(await refusal({ 'watch.allNamespaces': true, 'operate.enabled': true })).toContain('operate.namespaces')
    expect(await refusal({ ...ON, 'operate.reap.enabled': true })).toContain('operate.reap.policies')
    const reap = { ...ON, 'operate.reap.enabled': true, 'operate.reap.policies': ['zombie'] }
    expect(await refusal(reap)).toContain('operate.reap.token.existingSecret')
    for (const minAge of ['59m', '0h', '30s', '10m', '1.5h']) {
      expect(await refusal({ ...REAP, 'operate.reap.minAge': minAge })).toContain('minAge')
    }
    expect(await refusal({ ...REAP, 'operate.reap.policies': ['everything'] })).toContain('policies')
    expect(await refusal({ ...REAP, 'operate.reap.policies': POLICY_IDS, 'operate.reap.minAge': '2h' })).toBe(
      'accepted',
    )
  })

  it('are used by a CronJob, one run at a time, which gets no secret of the server', async () => {
    const manifests = await render(folder, {
      ...REAP,
      'database.existingSecret': 'database',
      'github.token.existingSecret': 'gh',
    })
    const job = one(manifests, 'CronJob', `${RELEASE}-reap`) as unknown as {
      readonly spec: { readonly jobTemplate: { readonly spec: Manifest } }
    }
    expect(job).toMatchObject({ spec: { concurrencyPolicy: 'Forbid', jobTemplate: { spec: { backoffLimit: 0 } } } })
    const pod = podSpec({ spec: job.spec.jobTemplate.spec } as unknown as Manifest)
    expect(pod).toMatchObject({
      serviceAccountName: NAME,
      restartPolicy: 'Never',
      securityContext: { runAsNonRoot: true },
    })
    expect(pod.containers[0]).toMatchObject({
      securityContext: {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      },
    })
    expect(pod.containers[0]?.args).toEqual([
      'reap',
      '--policy=zombie',
      '--apply',
      '--yes',
      '--min-age=1h',
      '--max=10',
      '--namespace=arc-runners,arc-more,arc-systems',
      `--server=https://${RELEASE}.${NAMESPACE}.svc:8443`,
      '--ca-file=/etc/signalbox-server/ca.crt',
      '--token-file=/etc/signalbox-server/token',
    ])
    const volumes = JSON.stringify(pod.volumes)
    expect([volumes.includes('"gh"'), volumes.includes('"reap"'), volumes.includes('"database"')]).toEqual([
      true,
      true,
      false,
    ])
    const { data } = one(manifests, 'ConfigMap', `${NAME}-reap`) as unknown as {
      readonly data: Readonly<Record<string, string>>
    }
    expect(Object.keys(parse(data['signalbox.yaml'] ?? '') as object)).toEqual(['github', 'log'])
  })

  it.each(['# operate-values.yaml', '# reap-values.yaml'])('can be had as %s of the page shows', async (firstLine) => {
    const values = parse(await shownIn(PAGE, firstLine)) as Readonly<Record<string, unknown>>
    expect(await refusal({ ...WATCH, ...values })).toBe('accepted')
  })

  it('are named in the notes', async () => {
    const args = ['install', RELEASE, CHART, '-n', NAMESPACE, '--dry-run=client', ...settings(REAP)]
    const { stdout } = await runHelm(args, folder)
    for (const text of [
      'WHAT IT CAN CHANGE',
      'run commands in every pod',
      'every Secret in arc-runners, arc-systems',
      'signalbox-reap',
    ]) {
      expect(stdout).toContain(text)
    }
    expect(
      (await runHelm(['install', RELEASE, CHART, '-n', NAMESPACE, '--dry-run=client', ...settings(WATCH)], folder))
        .stdout,
    ).toContain('changes nothing there')
  })
})

describeUnless(missingForHelm(), 'agents that see processes', () => {
  it('are in the PID namespace of the host only then, and without capabilities', async () => {
    const agent = async (values: object) =>
      podSpec(one(await render(folder, { ...WATCH, ...values }), 'DaemonSet', `${RELEASE}-agent`))
    const [off, on] = [await agent({}), await agent({ 'agent.processes': true })]
    expect([off, off.containers[0]?.args.includes('--processes')]).toEqual([
      expect.not.objectContaining({ hostPID: true }),
      false,
    ])
    expect([on, on.containers[0]?.args.includes('--processes')]).toEqual([
      expect.objectContaining({ hostPID: true }),
      true,
    ])
    expect(on.containers[0]?.securityContext).toEqual(off.containers[0]?.securityContext)
  })
})

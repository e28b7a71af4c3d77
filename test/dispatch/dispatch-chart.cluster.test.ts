import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { root } from '#/cli/commands.ts'
import { parse } from '#/cli/frame/parse.ts'
import { CHART, missingForHelm, provideHelm } from '#test/deploy/helm.ts'
import { podSpec } from '#test/deploy/pod-spec.ts'
import { NAMESPACE, one, readConfig, RELEASE, render, template } from '#test/deploy/render.ts'
import type { Manifest } from '#test/deploy/render.ts'
import { grantedBy } from '#test/deploy/rights.ts'
import type { Rule } from '#test/deploy/rights.ts'
import { describeUnless } from '#test/deploy/suites.ts'

const NAME = `${RELEASE}-dispatch`
const readRights = (manifest: Manifest | undefined): readonly string[] =>
  grantedBy((manifest?.['rules'] ?? []) as readonly Rule[])
const ENABLED = {
  'dispatch.enabled': true,
  'dispatch.webhook.existingSecret': 'hook',
  'github.app': { id: 7, existingSecret: 'app' },
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-dispatch-chart-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

describeUnless(missingForHelm(), 'own pools in the chart', () => {
  beforeAll(async () => {
    await provideHelm()
  }, 20 * 60_000)

  it('are off by default, without any right to create or delete pods', async () => {
    const manifests = await render(folder)
    expect(manifests.filter(({ metadata }) => metadata.name.startsWith(NAME))).toEqual([])
    expect(parseYaml(readConfig(manifests))).not.toHaveProperty('dispatch')
  })

  it('need a credential and the secret of the webhook', async () => {
    const without = async (key: keyof typeof ENABLED): Promise<string> => {
      const values = Object.fromEntries(Object.entries(ENABLED).filter(([name]) => name !== key))
      return (await template(folder, { 'watch.namespaces': ['team-a'], ...values })).stderr
    }
    expect(await without('github.app')).toContain('github.app.existingSecret')
    expect(await without('dispatch.webhook.existingSecret')).toContain('openssl rand -hex 32')
  })

  it('have the rights of deploy/dispatch/role.yaml, in each watched namespace', async () => {
    const [role, wide] = await Promise.all(
      ['role.yaml', 'clusterrole.yaml'].map(
        async (file) => parseYaml(await readFile(resolve(CHART, '..', 'dispatch', file), 'utf8')) as Manifest,
      ),
    )
    const manifests = await render(folder, { 'watch.namespaces': ['team-a', 'team-b'], ...ENABLED })
    const roles = manifests.filter(({ kind, metadata }) => kind === 'Role' && metadata.name === NAME)
    expect(roles.map(({ metadata }) => metadata.namespace)).toEqual(['team-a', 'team-b'])
    for (const one of roles) expect(readRights(one)).toEqual(readRights(role))
    expect(readRights(one(manifests, 'ClusterRole', `${NAME}-cluster`))).toEqual(readRights(wide))
    const everywhere = await render(folder, ENABLED)
    expect(readRights(one(everywhere, 'ClusterRole', NAME))).toEqual(readRights(role))
  })

  it('reach the server by its name in the cluster, and the secret is a file', async () => {
    const manifests = await render(folder, { 'watch.namespaces': ['team-a'], 'service.port': 9443, ...ENABLED })
    expect(parseYaml(readConfig(manifests))).toMatchObject({
      dispatch: { enabled: true, url: `https://${RELEASE}.${NAMESPACE}.svc:9443`, startsPerNode: 4 },
      github: { webhookSecretFile: '/etc/signalbox/webhook/secret', app: { id: 7 } },
    })
    expect(JSON.stringify(one(manifests, 'Deployment', RELEASE))).toContain('"path":"webhook/secret"')
  })

  it('may connect to the server, and no other pods of their namespaces', async () => {
    const manifests = await render(folder, { 'watch.namespaces': ['team-a'], ...ENABLED })
    const policy = one(manifests, 'NetworkPolicy', RELEASE)['spec'] as { readonly ingress: readonly object[] }
    expect(policy.ingress).toContainEqual({
      from: [
        {
          podSelector: { matchExpressions: [{ key: 'signalbox.dev/pool', operator: 'Exists' }] },
          namespaceSelector: {
            matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['team-a'] }],
          },
        },
      ],
      ports: [{ protocol: 'TCP', port: 'https' }],
    })
  })

  it('are let go before helm uninstall takes the rights away, where the server watches', async () => {
    const manifests = await render(folder, { 'watch.namespaces': ['team-a', 'team-b'], ...ENABLED })
    const job = one(manifests, 'Job', `${NAME}-release`)
    expect(job.metadata).toMatchObject({ namespace: NAMESPACE, annotations: { 'helm.sh/hook': 'pre-delete' } })
    expect(podSpec(job)).toMatchObject({ serviceAccountName: RELEASE, automountServiceAccountToken: true })
    const everywhere = one(await render(folder, ENABLED), 'Job', `${NAME}-release`)
    // The command line takes it: what it did not take would fail the uninstall.
    const [named, all] = [job, everywhere].map((one) => parse(podSpec(one).containers[0]?.args ?? [], root))
    const flags = { yes: true, force: true, 'older-than': '0s' }
    expect(named).toMatchObject({
      kind: 'run',
      leaf: { name: 'release' },
      flags: { ...flags, namespace: ['team-a', 'team-b'] },
    })
    expect(all).toMatchObject({ kind: 'run', flags: { ...flags, 'all-namespaces': true } })
  })

  it('have alerts of their own', async () => {
    const manifests = await render(folder, { ...ENABLED, 'prometheusRule.enabled': true })
    const rules = JSON.stringify(manifests.filter(({ kind }) => kind === 'PrometheusRule'))
    for (const alert of ['SignalboxJobsWait', 'SignalboxPickupSlow', 'SignalboxDeliveriesParked'])
      expect(rules).toContain(alert)
    const without = JSON.stringify(await render(folder, { 'prometheusRule.enabled': true }))
    expect(without).not.toContain('SignalboxJobsWait')
  })
})

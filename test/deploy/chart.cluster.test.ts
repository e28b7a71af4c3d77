import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '#/config/load.ts'
import { CHART, missingForHelm, provideHelm, runHelm } from './helm.ts'
import { readConfig, GUIDE, NAMESPACE, one, RELEASE, render, shownIn, template } from './render.ts'
import type { Manifest } from './render.ts'
import { podSpec } from './pod-spec.ts'
import { describeUnless } from './suites.ts'

const BUILD_MS = 20 * 60_000
const EVERYTHING = {
  'watch.namespaces': ['arc-runners', 'arc-more'],
  'watch.podSelector': 'team=ci',
  'github.owners': ['acme'],
  'github.app.id': 1234567,
  'github.app.existingSecret': 'github-app',
  'database.existingSecret': 'database',
  'api.existingSecret': 'api',
  'audit.existingSecret': 'audit',
  'notify.existingSecret': 'notify',
  'tls.existingSecret': 'certificate',
  config: { retention: { postmortems: '30d' } },
  'serviceMonitor.enabled': true,
  'prometheusRule.enabled': true,
  'dashboard.enabled': true,
  'agent.kmsg.enabled': true,
  'networkPolicy.extraEgress': [{ ports: [{ port: 3128 }] }],
  'customCA.configMap': 'our-ca',
} as const

const VALUES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'the default values': {},
  'every value': EVERYTHING,
  'a trial': { 'persistence.enabled': false, 'agent.enabled': false, 'networkPolicy.enabled': false },
  'an own claim': { 'persistence.existingClaim': 'mine', 'image.digest': `sha256:${'a'.repeat(64)}` },
  'another name': { fullnameOverride: 'flight-recorder' },
  'cert-manager': { 'tls.certManager.enabled': true, 'tls.certManager.issuerRef.name': 'our-issuer' },
}

const WIDE = ['ClusterRole', 'ClusterRoleBinding', 'PriorityClass']

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-chart-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function loadFrom(text: string) {
  const place = await mkdtemp(join(folder, 'config-'))
  await mkdir(join(place, 'empty'))
  const file = join(place, 'signalbox.yaml')
  await writeFile(file, text)
  return loadConfig({ file, flags: [], workingFolder: join(place, 'empty') }, {})
}

describeUnless(missingForHelm(), 'the Helm chart', () => {
  beforeAll(async () => {
    await provideHelm()
  }, BUILD_MS)

  it('passes helm lint', async () => {
    const outcome = await runHelm(['lint', '--strict', CHART], folder)
    expect(outcome.stdout + outcome.stderr).toContain('1 chart(s) linted, 0 chart(s) failed')
  })

  it.each(Object.keys(VALUES))('with %s: every object has our labels and namespace', async (name) => {
    const manifests = await render(folder, VALUES[name])
    expect(manifests.length).toBeGreaterThan(6)
    const places = new Set([NAMESPACE, 'arc-runners', 'arc-more'])
    for (const { kind, metadata } of manifests) {
      expect(metadata.labels).toMatchObject({
        'app.kubernetes.io/name': 'signalbox',
        'app.kubernetes.io/instance': RELEASE,
        'app.kubernetes.io/managed-by': 'Helm',
      })
      if (WIDE.includes(kind)) expect(metadata.namespace).toBeUndefined()
      else expect(places).toContain(metadata.namespace)
    }
    const keys = manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)
    expect(keys.toSorted()).toEqual([...new Set(keys)].toSorted())
  })

  it.each(Object.keys(VALUES))('with %s: the pods have only the privileges that they need', async (name) => {
    const manifests = await render(folder, VALUES[name])
    const pods = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet')
    for (const pod of pods) {
      expect(podSpec(pod)).toMatchObject({
        enableServiceLinks: false,
        securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      })
      for (const container of podSpec(pod).containers) {
        expect(container.image).toMatch(/^signalbox(?::\d+\.\d+\.\d+|@sha256:a{64})$/)
        expect(container.securityContext).toMatchObject({
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
      }
    }
    const server = pods.find(({ kind }) => kind === 'Deployment') as Manifest
    expect(podSpec(server).volumes.filter(({ hostPath }) => hostPath !== undefined)).toEqual([])
    expect(podSpec(server).securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 })
  })

  it.each(Object.keys(VALUES))('with %s: the server accepts its configuration', async (name) => {
    const text = readConfig(await render(folder, VALUES[name]))
    // The files of secrets are in the pod only.
    const outcome = await loadFrom(
      text.replaceAll(/^\s+privateKeyFile: .*$/gm, '    privateKey: x').replace(/^databaseUrlFile: .*$/m, ''),
    )
    expect(outcome.kind === 'invalid' ? outcome.problems : []).toEqual([])
  })

  it('refuses a value that is misspelt, wrongly typed, or names a moving tag', async () => {
    const attempt = async (values: Readonly<Record<string, unknown>>): Promise<string> => {
      const outcome = await template(folder, { 'watch.namespaces': ['arc-runners'], ...values })
      return outcome.code === 0 ? 'accepted' : outcome.stderr
    }
    expect(await attempt({ 'watch.namespace': ['a'] })).toMatch(/additional properties 'namespace' not allowed/i)
    expect(await attempt({ agents: {} })).toMatch(/additional properties 'agents' not allowed/i)
    expect(await attempt({ 'agent.enabled': 'yes' })).toContain('agent/enabled')
    expect(await attempt({ 'image.tag': 'latest' })).toContain('image/tag')
    // YAML reads 1.10 as 1.1: another image.
    expect(await attempt({ 'image.tag': 1.1 })).toContain('image/tag')
    expect(await attempt({ 'github.app.existingSecret': 'app' })).toContain('requires github.app.id')
    expect(await attempt({ 'image.digest': 'sha256:abc' })).toContain('image/digest')
  })

  it.each([
    [1, /^signalbox:1$/],
    [0, /^signalbox:0$/],
    [20_261_116, /^signalbox:20261116$/],
    ['1.10', /^signalbox:1\.10$/],
    [null, /^signalbox:\d+\.\d+\.\d+$/],
  ] as const)('uses %s as the tag, unchanged', async (tag, image) => {
    const manifests = await render(folder, { 'image.tag': tag })
    const pods = [one(manifests, 'Deployment', RELEASE), one(manifests, 'DaemonSet', `${RELEASE}-agent`)]
    for (const pod of pods) expect(podSpec(pod).containers[0]?.image).toMatch(image)
  })

  it('receives the audit log with the settings of the guide', async () => {
    const values = parse(await shownIn(GUIDE, '# audit-values.yaml')) as Readonly<Record<string, unknown>>
    const manifests = await render(folder, values)
    expect(parse(readConfig(manifests))).toMatchObject({ audit: { tokenFile: '/etc/signalbox/audit/token' } })
    expect(JSON.stringify(podSpec(one(manifests, 'Deployment', RELEASE)).volumes)).toContain('"signalbox-audit"')
    const { spec } = one(manifests, 'NetworkPolicy', RELEASE) as unknown as {
      readonly spec: { readonly ingress: readonly object[] }
    }
    const [agents, apiServers] = spec.ingress as readonly { readonly ports: unknown }[]
    expect(spec.ingress).toHaveLength(2)
    expect(apiServers).toMatchObject({ from: [{ ipBlock: { cidr: '192.0.2.10/32' } }], ports: agents?.ports })
  })

  it('mounts the secrets of notify where values.yaml says', async () => {
    const server = one(await render(folder, EVERYTHING), 'Deployment', RELEASE)
    const said = /files under (\S+), for the …File/.exec(readFileSync(join(CHART, 'values.yaml'), 'utf8'))?.[1]
    expect(podSpec(server).containers[0]).toMatchObject({
      volumeMounts: expect.arrayContaining([{ name: 'notify', mountPath: said, readOnly: true }]) as unknown,
    })
  })

  it('names every default in the schema, so that none of them can be misspelt', async () => {
    const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as Schema
    expect(looseObjects(schema, '')).toEqual(['.affinity', '.affinity', '.config', '.global', '.settings'])
  })

  it('requests rights only in the named namespaces, unless all are wanted', async () => {
    const manifests = await render(folder, EVERYTHING)
    const { rules } = one(manifests, 'ClusterRole', RELEASE) as unknown as { readonly rules: readonly Rule[] }
    expect(rules.flatMap(({ resources }) => resources).toSorted()).toEqual(['nodes', 'tokenreviews'])
    const roles = manifests.filter(({ kind }) => kind === 'Role').map(({ metadata }) => metadata.namespace)
    expect(new Set(roles)).toEqual(new Set(['arc-more', 'arc-runners', NAMESPACE]))
  })

  it.each(Object.keys(VALUES))(
    'with %s: no right to read Secrets, or to change anything but its own CA',
    async (name) => {
      const manifests = await render(folder, VALUES[name])
      const rules = manifests.flatMap((manifest) => (manifest['rules'] ?? []) as readonly Rule[])
      expect(rules.flatMap(({ resources }) => resources)).not.toContain('secrets')
      const authority = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.endsWith('-ca'))
      for (const { verbs, resources, resourceNames } of rules) {
        if (resources.includes('configmaps')) {
          expect([resources, verbs, resourceNames]).toEqual([['configmaps'], ['patch'], [authority?.metadata.name]])
        } else {
          const reading = resources.includes('tokenreviews') ? ['create'] : ['get', 'list', 'watch']
          expect(reading).toEqual(expect.arrayContaining([...verbs]))
        }
      }
    },
  )
})

type Rule = {
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  readonly resourceNames?: readonly string[]
}
type Schema = {
  readonly type?: string
  readonly additionalProperties?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
}

/** Objects that allow any key. */
function looseObjects(schema: Schema, path: string): readonly string[] {
  const inside = Object.entries(schema.properties ?? {}).flatMap(([key, value]) => looseObjects(value, `.${key}`))
  return [
    ...(schema.type === 'object' && schema.additionalProperties === undefined ? [path] : []),
    ...inside,
  ].toSorted()
}

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { CHART, missingForHelm, provideHelm, runHelm } from './helm.ts'
import { podSpec } from './pod-spec.ts'
import { GUIDE, NAMESPACE, one, readConfig, RELEASE, render, renderText, settings, template } from './render.ts'
import type { Manifest } from './render.ts'
import { describeUnless } from './suites.ts'

const BUILD_MS = 20 * 60_000
const HOST = `${RELEASE}.${NAMESPACE}.svc`

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-chart-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

const server = (manifests: readonly Manifest[]) => podSpec(one(manifests, 'Deployment', RELEASE))
const agent = (manifests: readonly Manifest[]) => podSpec(one(manifests, 'DaemonSet', `${RELEASE}-agent`))
const config = (manifests: readonly Manifest[]) => parse(readConfig(manifests)) as Readonly<Record<string, unknown>>

async function refusal(values: Readonly<Record<string, unknown>>): Promise<string> {
  const { code, stderr } = await template(folder, values)
  return code === 0 ? 'accepted' : stderr
}

describeUnless(missingForHelm(), 'the values of the chart', () => {
  beforeAll(async () => {
    await provideHelm()
  }, BUILD_MS)

  it.each([
    ['all namespaces', {}],
    ['a certificate of cert-manager', { 'tls.certManager': { enabled: true, issuerRef: { name: 'x' } } }],
    ['monitoring', { 'serviceMonitor.enabled': true, 'prometheusRule.enabled': true, 'dashboard.enabled': true }],
  ])('with %s: rendering twice gives the same bytes, so that GitOps tools see no drift', async (_, values) => {
    expect(await renderText(folder, values)).toBe(await renderText(folder, values))
  })

  it('contains no key and no certificate', async () => {
    const text = await renderText(folder)
    expect(text).not.toMatch(/BEGIN|kind: Secret\n/)
  })

  it('asks which namespaces to watch, and accepts a list or all of them, not both', async () => {
    const asked = await refusal({})
    expect(asked).toContain("--set 'watch.namespaces={arc-runners}'")
    expect(asked).toContain('watch.allNamespaces=true')
    expect(await refusal({ 'watch.namespaces': ['arc-runners'] })).toBe('accepted')
    expect(await refusal({ 'watch.allNamespaces': true })).toBe('accepted')
    expect(await refusal({ 'watch.namespaces': ['a'], 'watch.allNamespaces': true })).toContain('choose one')
  })

  it.each([
    ['all namespaces', { 'watch.allNamespaces': true }, ['EVERY namespace', 'Secrets: never', 'Recommended instead']],
    ['a list', { 'watch.namespaces': ['arc-runners'] }, ['Nothing in other namespaces', 'Secrets: never']],
  ])('says in its notes what it can read with %s, and how to ask from outside', async (_, values, said) => {
    const args = ['install', RELEASE, CHART, '-n', NAMESPACE, '--dry-run=client', ...settings(values)]
    const { stdout, stderr } = await runHelm(args, folder)
    const notes = stdout.slice(stdout.indexOf('NOTES:'))
    for (const text of [...said, 'token create', 'port-forward']) expect(`${notes}${stderr}`).toContain(text)
    expect(notes).toContain('NOTES:')
  })

  it('refuses a second server, and says why', async () => {
    const watch = { 'watch.namespaces': ['arc-runners'] }
    expect(await refusal({ ...watch, 'server.replicas': 2 })).toMatch(/only one server records at a time/)
    expect(await refusal({ ...watch, 'server.replicas': 2, 'database.existingSecret': 'db' })).toContain('0 or 1')
    const { spec } = one(await render(folder, { 'server.replicas': 0 }), 'Deployment', RELEASE) as unknown as {
      readonly spec: object
    }
    expect(spec).toMatchObject({ replicas: 0, strategy: { type: 'Recreate' } })
  })

  it('lets the server make a certificate for agents, kubectl exec and the audit webhook', async () => {
    const manifests = await render(folder)
    const { tls } = config(manifests) as { readonly tls: { readonly names: readonly string[] } }
    const named = /tls-server-name: (\S+)/.exec(await readFile(GUIDE, 'utf8'))?.[1]
    expect(tls).toEqual({
      caConfigMap: `${NAMESPACE}/${RELEASE}-ca`,
      names: [HOST, RELEASE, `${RELEASE}.${NAMESPACE}`, `${HOST}.cluster.local`, 'localhost', '127.0.0.1'],
    })
    expect(tls.names).toContain(named)
    expect(one(manifests, 'ConfigMap', `${RELEASE}-ca`)).not.toHaveProperty('data')
    expect(agent(manifests).containers[0]?.args).toContain(`--server=https://${HOST}:8443`)
  })

  it.each([
    ['an existing Secret', { 'tls.existingSecret': 'ours' }, 'ours'],
    ['cert-manager', { 'tls.certManager': { enabled: true, issuerRef: { name: 'x' } } }, `${RELEASE}-tls`],
  ])('uses the certificate of %s, whose key no node gets', async (_, values, secret) => {
    const manifests = await render(folder, values)
    expect(config(manifests)['tls']).toEqual({
      caConfigMap: `${NAMESPACE}/${RELEASE}-ca`,
      certFile: '/etc/signalbox/tls/tls.crt',
      keyFile: '/etc/signalbox/tls/tls.key',
      caFile: '/etc/signalbox/tls/ca.crt',
    })
    expect(JSON.stringify(server(manifests).volumes)).toContain(`"${secret}"`)
    expect(JSON.stringify(agent(manifests).volumes)).not.toContain(`"${secret}"`)
    expect(JSON.stringify(agent(manifests).volumes)).toContain(`"${RELEASE}-ca"`)
  })

  it('orders a certificate for every name of the server, and refuses half a cert-manager', async () => {
    const wanted = { 'tls.certManager': { enabled: true, issuerRef: { name: 'x', kind: 'ClusterIssuer' } } }
    expect(one(await render(folder, wanted), 'Certificate', RELEASE)).toMatchObject({
      spec: {
        secretName: `${RELEASE}-tls`,
        issuerRef: { name: 'x', kind: 'ClusterIssuer', group: 'cert-manager.io' },
        dnsNames: [HOST, RELEASE, `${RELEASE}.${NAMESPACE}`, `${HOST}.cluster.local`, 'localhost'],
        ipAddresses: ['127.0.0.1'],
      },
    })
    const watch = { 'watch.allNamespaces': true, 'tls.certManager.enabled': true }
    expect(await refusal(watch)).toContain('requires tls.certManager.issuerRef.name')
    expect(await refusal({ ...watch, 'tls.existingSecret': 'ours' })).toContain('choose one')
  })

  it('denies egress but to DNS, the API server, GitHub and PostgreSQL, and to the server for agents', async () => {
    type Policy = { readonly spec: { readonly policyTypes: readonly string[]; readonly egress: readonly Egress[] } }
    type Egress = { readonly ports: readonly { readonly port: number | string }[]; readonly to?: readonly object[] }
    const ports = ({ spec }: Policy) => spec.egress.map((rule) => rule.ports.map(({ port }) => port))
    const policies = async (values: Readonly<Record<string, unknown>> = {}) => {
      const manifests = await render(folder, values)
      return [RELEASE, `${RELEASE}-agent`].map((name) => one(manifests, 'NetworkPolicy', name) as unknown as Policy)
    }
    const [own, agents] = (await policies()) as [Policy, Policy]
    expect([own.spec.policyTypes, agents.spec.policyTypes]).toEqual([
      ['Ingress', 'Egress'],
      ['Ingress', 'Egress'],
    ])
    expect([ports(own), ports(agents)]).toEqual([
      [[53, 53], [443, 6443], [443]],
      [[53, 53], ['https']],
    ])
    expect(agents.spec.egress[1]?.to).toMatchObject([
      { podSelector: { matchLabels: { 'app.kubernetes.io/component': 'server' } } },
    ])
    const [more] = (await policies({
      'database.existingSecret': 'db',
      'networkPolicy.egress.https': [{ ipBlock: { cidr: '192.0.2.0/24' } }],
      'networkPolicy.extraEgress': [{ ports: [{ protocol: 'TCP', port: 3128 }] }],
    })) as [Policy]
    expect(ports(more)).toEqual([[53, 53], [443, 6443], [443], [5432], [3128]])
    expect(more.spec.egress[2]?.to).toEqual([{ ipBlock: { cidr: '192.0.2.0/24' } }])
    const [open] = (await policies({ 'networkPolicy.egress.enabled': false })) as [Policy]
    expect(open.spec).not.toHaveProperty('egress')
  })

  it('gives agents a priority that protects them and kills nobody', async () => {
    const manifests = await render(folder)
    expect(one(manifests, 'PriorityClass', `${RELEASE}-agent`)).toMatchObject({
      value: 1_000_000,
      preemptionPolicy: 'Never',
    })
    expect(agent(manifests).priorityClassName).toBe(`${RELEASE}-agent`)
    const named = await render(folder, { 'agent.priorityClassName': 'system-node-critical' })
    expect(agent(named).priorityClassName).toBe('system-node-critical')
    const none = await render(folder, { 'agent.priorityClass.create': false })
    expect(agent(none).priorityClassName).toBeUndefined()
    expect([named, none].flatMap((some) => some.filter(({ kind }) => kind === 'PriorityClass'))).toEqual([])
  })

  it('mounts further volumes and CAs, and sets variables', async () => {
    const extra = {
      extraVolumes: [{ name: 'more', configMap: { name: 'more' } }],
      extraVolumeMounts: [{ name: 'more', mountPath: '/more' }],
      extraEnv: [{ name: 'MORE', value: 'yes' }],
    }
    const values = { server: extra, agent: extra, 'customCA.configMap': 'our-ca', 'customCA.key': 'root.pem' }
    const manifests = await render(folder, values)
    for (const pod of [server(manifests), agent(manifests)]) {
      expect(pod.volumes).toContainEqual(extra.extraVolumes[0])
      expect(pod.containers[0]?.volumeMounts).toContainEqual(extra.extraVolumeMounts[0])
      expect(pod.containers[0]?.env).toContainEqual(extra.extraEnv[0])
    }
    const [container] = server(manifests).containers
    const place = container?.env?.find(({ name }) => name === 'NODE_EXTRA_CA_CERTS')?.value
    expect(place).toBe('/etc/signalbox-ca/ca.crt')
    expect(container?.volumeMounts).toContainEqual({
      name: 'custom-ca',
      mountPath: '/etc/signalbox-ca',
      readOnly: true,
    })
    expect(server(manifests).volumes).toContainEqual({
      name: 'custom-ca',
      configMap: { name: 'our-ca', items: [{ key: 'root.pem', path: 'ca.crt' }] },
    })
    const inSecret = await render(folder, { 'customCA.secret': 'our-ca' })
    expect(JSON.stringify(server(inSecret).volumes)).toContain('"secretName":"our-ca"')
    expect(await refusal({ 'watch.allNamespaces': true, 'customCA.secret': 'a', 'customCA.configMap': 'b' })).toContain(
      'choose one',
    )
  })

  it('keeps the volume with an external database too: it has what is not stored yet, and the certificate', async () => {
    const manifests = await render(folder, { 'database.existingSecret': 'db' })
    expect(one(manifests, 'PersistentVolumeClaim', `${RELEASE}-data`)).toBeDefined()
  })

  it('keeps what the server has not acknowledged over restarts of the agent', async () => {
    const manifests = await render(folder, { 'agent.state.sizeLimit': '1Gi' })
    const [container] = agent(manifests).containers
    const place = container?.args.find((one) => one.startsWith('--state='))?.replace('--state=', '')
    expect(container?.volumeMounts).toContainEqual({ name: 'state', mountPath: place })
    expect(agent(manifests).volumes).toContainEqual({ name: 'state', emptyDir: { sizeLimit: '1Gi' } })
  })

  it('describes every value in values.yaml by the schema', async () => {
    const schema = JSON.parse(await readFile(join(CHART, 'values.schema.json'), 'utf8')) as Schema
    const values = parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as object
    expect(undescribed(values, schema, schema)).toEqual([])
  })
})

type Schema = {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly definitions?: Readonly<Record<string, Schema>>
}

/** Keys of values.yaml without an entry in the schema. */
function undescribed(values: object, schema: Schema, root: Schema): readonly string[] {
  const target = schema.$ref === undefined ? schema : root.definitions?.[schema.$ref.replace('#/definitions/', '')]
  const { properties } = target ?? {}
  if (properties === undefined) return []
  return Object.entries(values).flatMap(([key, value]: readonly [string, unknown]) => {
    const own = properties[key]
    if (own === undefined) return [key]
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? undescribed(value, own, root) : []
  })
}

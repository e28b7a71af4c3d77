import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Server } from 'node:net'
import type { ControlPlane } from '#test/cluster/control-plane.ts'
import { run, runOrThrow } from '#test/cluster/command.ts'
import { until } from '#test/cluster/until.ts'

/** From the range for tests (RFC 2544), next to the address of the node. */
export const SERVICE_RANGE = '198.18.1.0/24'
const API_SERVER_ADDRESS = '198.18.1.1'
export const SERVER_ADDRESS = '198.18.1.88'

/**
 * What the node of the tests lacks: pods that reach each other and the API server. Pods of the namespace get the host's
 * network and resolve the server's name, its Service has a known address, and both addresses lead to this machine.
 */
export async function provideNetwork(
  cluster: ControlPlane,
  namespace: string,
  service: string,
): Promise<() => Promise<void>> {
  for (const address of [API_SERVER_ADDRESS, SERVER_ADDRESS]) await changeAddress('add', address)
  const forwarder = await forward(API_SERVER_ADDRESS, 443, cluster.port)
  const alias = `Object.spec.hostAliases{ip: "${SERVER_ADDRESS}", hostnames: ["${service}.${namespace}.svc"]}`
  await installPolicy(cluster, 'host-network', {
    resource: 'pods',
    namespace,
    changes: [
      added('/spec/hostNetwork', 'true'),
      // As one request the list makes the API server panic (1.36.3).
      added('/spec/hostAliases', '[]'),
      added('/spec/hostAliases/-', alias),
    ],
  })
  await installPolicy(cluster, 'known-address', {
    resource: 'services',
    namespace,
    changes: [added('/spec/clusterIP', `"${SERVER_ADDRESS}"`)],
  })
  return async () => {
    forwarder.close()
    for (const address of [API_SERVER_ADDRESS, SERVER_ADDRESS]) await changeAddress('del', address)
  }
}

async function changeAddress(verb: 'add' | 'del', address: string): Promise<void> {
  // One that an earlier run left works too.
  await run('busybox', ['ip', 'address', verb, `${address}/32`, 'dev', 'lo'])
  if (verb === 'add') await runOrThrow('busybox', ['ip', 'route', 'get', address])
}

async function forward(host: string, port: number, target: number): Promise<Server> {
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1')
    incoming.on('error', () => outgoing.destroy()).on('close', () => outgoing.destroy())
    outgoing.on('error', () => incoming.destroy()).on('close', () => incoming.destroy())
    incoming.pipe(outgoing).pipe(incoming)
  })
  server.listen(port, host)
  // The cluster is stopped first, and with it all clients.
  server.unref()
  await once(server, 'listening')
  return server
}

type Policy = { readonly resource: string; readonly namespace: string; readonly changes: readonly string[] }

function added(path: string, value: string): string {
  return `JSONPatch{op: "add", path: "${path}", value: ${value}}`
}

const GROUP = '/apis/admissionregistration.k8s.io/v1'

async function installPolicy(
  cluster: ControlPlane,
  name: string,
  { resource, namespace, changes }: Policy,
): Promise<void> {
  const spec = {
    failurePolicy: 'Fail',
    reinvocationPolicy: 'Never',
    matchConstraints: {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: [resource] }],
    },
    mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: `[${changes.join(', ')}]` } }],
  }
  const post = (plural: string, body: object) =>
    cluster.callOk({ method: 'POST', path: `${GROUP}/${plural}`, body: { metadata: { name }, ...body } })
  await post('mutatingadmissionpolicies', { spec })
  await post('mutatingadmissionpolicybindings', { spec: { policyName: name } })
  await until({
    what: `the policy ${name} to be in force`,
    timeoutMs: 240_000,
    probe: async () => ((await isInForce(cluster, namespace, resource)) ? true : undefined),
  })
}

/** Policies take effect a moment after they were made. */
async function isInForce(cluster: ControlPlane, namespace: string, resource: string): Promise<boolean> {
  const bodies: Readonly<Record<string, object>> = {
    pods: {
      metadata: { name: 'probe' },
      spec: { containers: [{ name: 'probe', image: 'probe', ports: [{ containerPort: 1 }] }] },
    },
    services: { metadata: { name: 'probe' }, spec: { ports: [{ port: 1 }] } },
  }
  const path = `/api/v1/namespaces/${namespace}/${resource}?dryRun=All`
  const answer = await cluster.call({ method: 'POST', path, body: bodies[resource] })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.text.includes(resource === 'pods' ? '"hostNetwork":true' : SERVER_ADDRESS)
}

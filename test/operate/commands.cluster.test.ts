import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import type { Clock } from '#/ports/clock.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { repository } from '#test/cli/run-signalbox.ts'
import type { ApiServer } from '#test/cluster/cluster.ts'
import { runOrThrow } from '#test/cluster/command.ts'
import { describeWithApiServer } from '#test/cluster/suites.ts'
import { untilAllowed, writeToken } from '#test/collect/observer.ts'
import { missingForHelm, provideHelm } from '#test/deploy/helm.ts'
import { NAMESPACE, RELEASE, render } from '#test/deploy/render.ts'
import type { Manifest } from '#test/deploy/render.ts'
import { grantedBy, usedBy } from '#test/deploy/rights.ts'
import type { Rule } from '#test/deploy/rights.ts'
import { describeUnless } from '#test/deploy/suites.ts'
import { createActedFleet, HOME, LANE, RUNNERS, SYSTEMS } from './acted-fleet.ts'
import type { ActedFleet } from './acted-fleet.ts'
import { readRole } from './grant.ts'

const TIMEOUT = { timeout: 600_000 }
const PAGE = resolve(import.meta.dirname, '..', '..', 'docs', 'operate.md')
const ACCOUNT = { name: 'signalbox-operate', namespace: HOME }
const USER = `system:serviceaccount:${HOME}:${ACCOUNT.name}`
/** Checked beside `patch` of an apply, which the audit log shows. */
const CHECKED_BESIDES = ['create /secrets']

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-operate-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** Each command that acts, as this account. Throws where one of them did not do what it was asked for. */
async function actOnEverything(fleet: ActedFleet, kubeconfig: string, place: readonly string[]): Promise<void> {
  const { env, clock } = fleet
  const runBy = async (time: Clock, args: readonly string[]): Promise<string> => {
    const { signal } = new AbortController()
    clock.command = signal
    const evidence = ['--evidence', join(folder, `acts-${place.length}`)]
    const all = [...args, ...place, ...evidence, '--yes', '-o', 'json', '--kubeconfig', kubeconfig]
    const ran = await runInProcess(all, { env, clock: time, signal })
    if (ran.code !== 0)
      throw new Error(`${args.join(' ')}: ${ran.code}
${ran.stderr}${ran.stdout}`)
    return ran.stdout
  }
  /** A minute passes between the two reads that confirm a wedge. */
  const reap = async (policy: string) =>
    JSON.parse(await runBy(clock, ['reap', '--policy', policy, '--apply'])) as object
  const run = async (...args: readonly string[]) => await runBy(systemClock, args)
  const removed = expect.objectContaining({ decision: 'removed' }) as unknown
  expect(await reap('offline')).toMatchObject({
    candidates: [{ subject: { name: fleet.offline }, decision: 'removed' }],
  })
  expect(await reap('wedge')).toMatchObject({ candidates: [removed] })

  await fleet.startController()
  const over = new AbortController()
  const following = fleet.followBounds(over.signal)
  try {
    await run('lane', 'cap', `${RUNNERS}/${LANE}`, '1', '--wait', '1m')
    await run('lane', 'cap', `${RUNNERS}/${LANE}`, 'restore', '--wait', '1m')
  } finally {
    over.abort()
    await following
  }

  await fleet.breakListener()
  const synced = await run('pull-secrets', 'sync', '--fleet', fleet.fleetFile, '--apply')
  expect(synced).toContain('recreated')
}

/** The commands that a page shows, with the kubectl of the tests. */
async function runShown(cluster: ApiServer, firstLine: string): Promise<void> {
  const text = await readFile(PAGE, 'utf8')
  const block = text.split('```').find((part) => part.startsWith(`sh\n${firstLine}`))
  if (block === undefined) throw new Error(`${PAGE} shows no ${firstLine}`)
  const environment = { KUBECONFIG: cluster.kubeconfig, PATH: `${dirname(cluster.kubectlPath)}:${process.env['PATH']}` }
  await runOrThrow('sh', ['-euc', block.slice('sh\n'.length)], { folder: repository, environment })
}

describeWithApiServer('the rights of deploy/operate, bound as docs/operate.md says', (cluster) => {
  it('suffice for every command that acts, and none of them is unused', TIMEOUT, async () => {
    await using fleet = await createActedFleet(cluster(), folder)
    await runShown(cluster(), 'kubectl apply -f deploy/observe/clusterrole.yaml')
    await runShown(cluster(), 'kubectl create rolebinding signalbox-operate-secrets')
    const last = { group: '', resource: 'pods', verb: 'delete' }
    await untilAllowed(cluster(), ACCOUNT, { grant: last, namespace: SYSTEMS })
    const kubeconfig = await writeToken(cluster(), { ...ACCOUNT, folder })
    await actOnEverything(fleet, kubeconfig, [])
    const { used, refused } = await usedBy(cluster().auditLog, USER)
    expect(refused).toEqual([])
    const files = ['role.yaml', 'listeners.yaml', 'secrets.yaml'] as const
    const granted = files.flatMap((file) => grantedBy(readRole(file).rules))
    expect(granted.filter((right) => !used.includes(right))).toEqual(CHECKED_BESIDES)
  })
})

/** `reap` asks over all namespaces first, and then in those that were named. */
const OVER_ALL = /^list \/(?:api\/v1|apis\/[^/]+\/[^/]+)\/[a-z]+\?/u

const VALUES = {
  'watch.namespaces': [RUNNERS],
  'operate.enabled': true,
  'operate.controllerNamespace': SYSTEMS,
  'operate.listeners': true,
  'operate.pullSecrets.namespaces': [RUNNERS, SYSTEMS],
}
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const PATHS: Readonly<Record<string, (namespace: string) => string>> = {
  ServiceAccount: (namespace) => `/api/v1/namespaces/${namespace}/serviceaccounts`,
  Role: (namespace) => `${RBAC}/namespaces/${namespace}/roles`,
  RoleBinding: (namespace) => `${RBAC}/namespaces/${namespace}/rolebindings`,
}

async function install(cluster: ApiServer, manifests: readonly Manifest[]): Promise<void> {
  for (const body of manifests) {
    const { namespace = NAMESPACE } = body.metadata
    await cluster.callOk({ method: 'POST', path: PATHS[body.kind]?.(namespace) ?? '', body })
  }
}

describeUnless(missingForHelm(), 'the rights to operate of the chart', () => {
  beforeAll(async () => {
    await provideHelm()
  }, 20 * 60_000)

  describeWithApiServer('on a real API server', (cluster) => {
    it('suffice for the same commands, and none of them is unused', TIMEOUT, async () => {
      await using fleet = await createActedFleet(cluster(), folder)
      const own = (await render(folder, VALUES)).filter(
        ({ kind, metadata }) => kind in PATHS && metadata.name.startsWith(`${RELEASE}-operate`),
      )
      await install(cluster(), own)
      const last = { group: '', resource: 'secrets', verb: 'patch' }
      await untilAllowed(cluster(), ACCOUNT, { grant: last, namespace: SYSTEMS })
      const kubeconfig = await writeToken(cluster(), { ...ACCOUNT, folder })
      await actOnEverything(fleet, kubeconfig, ['-n', `${RUNNERS},${SYSTEMS}`])
      const { used, refused } = await usedBy(cluster().auditLog, USER)
      expect(refused.filter((line) => !OVER_ALL.test(line))).toEqual([])
      const roles = own.filter(({ kind }) => kind === 'Role')
      const granted = new Set(roles.flatMap((role) => grantedBy(role['rules'] as readonly Rule[])))
      expect([...granted].filter((right) => !used.includes(right))).toEqual(CHECKED_BESIDES)
    })
  })
})

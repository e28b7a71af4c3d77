import { expect } from 'vitest'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { readPod } from '#test/cluster/pods.ts'
import { until } from '#test/cluster/until.ts'
import { runGuard, untilRefused } from './guarded-runners.ts'

type Places = { readonly guarded: readonly string[]; readonly bare: string }

/** With the guard in force, and the runner `working` under it. */
export async function expectShown(cluster: NodeCluster, { guarded, bare }: Places): Promise<void> {
  const places = guarded.flatMap((name) => ['-n', name])
  const status = await until({
    what: 'the API server to have checked the types',
    timeoutMs: 120_000,
    probe: async () => {
      const { code, stdout } = await runGuard(cluster, ['status', ...places, '-o', 'json'])
      return code === 0 ? stdout : undefined
    },
    explain: async () => (await runGuard(cluster, ['status', ...places])).stdout,
  })
  expect(JSON.parse(status)).toMatchObject({
    mode: 'deny',
    objects: expect.arrayContaining([
      expect.objectContaining({
        name: 'signalbox-guard-pods',
        detail: 'checked by the API server, no type warnings',
      }),
    ]) as unknown,
    stamped: expect.arrayContaining([
      expect.objectContaining({ kind: 'Pod', name: 'working', why: 'it executes job "build" of acme/app' }),
      expect.objectContaining({ kind: 'EphemeralRunner', name: 'working' }),
    ]) as unknown,
  })
  const again = await runGuard(cluster, ['apply', '--mode', 'deny', ...places, '-o', 'json'])
  const { steps } = JSON.parse(again.stdout) as { readonly steps: readonly { readonly result: string }[] }
  expect(new Set(steps.map(({ result }) => result))).toEqual(new Set(['unchanged']))
  const elsewhere = await runGuard(cluster, ['status', ...places, '-n', bare])
  expect([elsewhere.code, elsewhere.stdout]).toEqual([1, expect.stringContaining('missing') as string])
  const dry = await runGuard(cluster, ['apply', '--mode', 'audit', ...places, '--dry-run', '-o', 'json'])
  expect(dry.stdout).toContain('"result": "planned"')
}

/** Where nobody stamps any more. */
export async function expectRemovable(cluster: NodeCluster, namespace: string): Promise<void> {
  const { status, text } = await cluster.call({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/pods`,
    body: {
      metadata: { name: 'left', labels: { 'signalbox.dev/working': 'true' } },
      spec: {
        automountServiceAccountToken: false,
        // Nothing starts it, and nothing collects it.
        schedulerName: 'nobody',
        containers: [{ name: 'runner', image: 'x' }],
      },
    },
  })
  expect([status, text]).toEqual([201, expect.any(String)])
  await untilRefused(cluster, { namespace, name: 'left' })
  const planned = await runGuard(cluster, ['remove', '-n', namespace, '--dry-run', '-o', 'json'])
  expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining('would be removed: its stamp') as string])
  const removed = await runGuard(cluster, ['remove', '-n', namespace])
  expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining('its stamp') as string])
  const left = await readPod(cluster, { namespace, name: 'left' })
  expect(left?.metadata?.labels ?? {}).toEqual({})
  const kinds = 'validatingadmissionpolicies,validatingadmissionpolicybindings'
  expect(await cluster.kubectl(['get', kinds, '-o', 'name'])).toBe('')
  expect((await runGuard(cluster, ['status', '-n', namespace])).code).toBe(1)
}

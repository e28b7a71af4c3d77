import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { GuardManifest } from '#/core/guard/manifests.ts'
import { buildGuard } from '#/core/guard/manifests.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { serveDocuments, toList } from '#test/cli/answering-cluster.ts'

describe('signalbox guard print', () => {
  it('prints the objects as YAML, without a cluster if the namespaces are named', async () => {
    const { code, stdout } = await runInProcess(['guard', 'print', '--mode', 'deny', '-n', 'team-a', '-n', 'team-b'])
    const documents = parseAllDocuments(stdout).map((one) => one.toJS() as GuardManifest)
    expect([code, documents]).toEqual([0, buildGuard({ mode: 'deny', namespaces: ['team-a', 'team-b'] })])
    expect(stdout).not.toMatch(/[&*]a\d/)
  })

  it('is for the mode audit by default, and a list as JSON', async () => {
    const { stdout } = await runInProcess(['guard', 'print', '-n', 'team-a', '-o', 'json'])
    const { items } = JSON.parse(stdout) as { readonly items: readonly GuardManifest[] }
    expect(items).toEqual(buildGuard({ mode: 'audit', namespaces: ['team-a'] }))
  })

  it('finds the namespaces of the scale sets with -A, and says what to do where there is none', async () => {
    const sets = ['team-b', 'team-a', 'team-b'].map((namespace, index) => ({
      apiVersion: 'actions.github.com/v1alpha1',
      kind: 'AutoscalingRunnerSet',
      metadata: { name: `lane-${index}`, namespace, uid: String(index), resourceVersion: '1' },
    }))
    const path = '/apis/actions.github.com/v1alpha1/autoscalingrunnersets'
    await using cluster = await serveDocuments('x', (asked) => (asked === path ? toList(sets) : undefined))
    const found = await runInProcess(['guard', 'print', '--mode', 'deny', '-A', '--kubeconfig', cluster.kubeconfig])
    expect(found.stdout.match(/namespace: team-./g)).toEqual(['namespace: team-a', 'namespace: team-b'])
    await using empty = await serveDocuments('x', () => undefined)
    const none = await runInProcess(['guard', 'print', '-A', '--kubeconfig', empty.kubeconfig])
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('name them: -n arc-runners') as string])
  })

  it('refuses an unknown mode', async () => {
    const { code, stderr } = await runInProcess(['guard', 'apply', '--mode', 'block', '-n', 'x'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('audit') as string])
  })
})

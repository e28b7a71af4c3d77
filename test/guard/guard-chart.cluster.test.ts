import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { CHART, missingForHelm, provideHelm } from '#test/deploy/helm.ts'
import { one, readConfig, RELEASE, render } from '#test/deploy/render.ts'
import type { Manifest } from '#test/deploy/render.ts'
import { grantedBy } from '#test/deploy/rights.ts'
import type { Rule } from '#test/deploy/rights.ts'
import { describeUnless } from '#test/deploy/suites.ts'

const NAME = `${RELEASE}-guard`
const STAMPING = ['patch /pods', 'patch actions.github.com/ephemeralrunners']
const readRights = (manifest: Manifest): readonly string[] => grantedBy(manifest['rules'] as readonly Rule[])

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-guard-chart-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

describeUnless(missingForHelm(), 'the guard in the chart', () => {
  beforeAll(async () => {
    await provideHelm()
  }, 20 * 60_000)

  it('is off by default, without any right to patch pods', async () => {
    const manifests = await render(folder)
    expect(manifests.filter(({ metadata }) => metadata.name === NAME)).toEqual([])
    expect(parse(readConfig(manifests))).not.toHaveProperty('guard')
  })

  it('gives a Role of its own in each watched namespace, and nothing in others', async () => {
    const manifests = await render(folder, { 'watch.namespaces': ['team-a', 'team-b'], 'guard.enabled': true })
    const own = manifests.filter(({ metadata }) => metadata.name === NAME)
    expect(own.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`)).toEqual(
      expect.arrayContaining(['Role team-a', 'RoleBinding team-a', 'Role team-b', 'RoleBinding team-b']),
    )
    expect(own).toHaveLength(4)
    for (const role of own.filter(({ kind }) => kind === 'Role')) expect(readRights(role)).toEqual(STAMPING)
    expect(parse(readConfig(manifests))).toMatchObject({ guard: { stamp: true } })
  })

  it('gives a ClusterRole where all namespaces are watched', async () => {
    const manifests = await render(folder, { 'guard.enabled': true })
    expect(readRights(one(manifests, 'ClusterRole', NAME))).toEqual(STAMPING)
    expect(one(manifests, 'ClusterRoleBinding', NAME).metadata.namespace).toBeUndefined()
  })

  it('grants what deploy/guard/role.yaml grants', async () => {
    const role = parse(await readFile(resolve(CHART, '..', 'guard', 'role.yaml'), 'utf8')) as Manifest
    expect(readRights(role)).toEqual(STAMPING)
  })
})

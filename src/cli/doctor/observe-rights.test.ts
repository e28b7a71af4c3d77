import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { FLEET_LISTS } from '#/runtime/collect/lists/list-plan.ts'
import { OBSERVE_RIGHTS, SECRET_RIGHTS } from '#/cli/doctor/observe-rights.ts'
import type { Right } from '#/cli/doctor/observe-rights.ts'

type Role = {
  readonly kind: string
  readonly rules: readonly {
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly verbs: readonly string[]
    readonly nonResourceURLs?: readonly string[]
  }[]
}

function granted(file: string): readonly string[] {
  const folder = resolve(import.meta.dirname, '..', '..', '..', 'deploy', 'observe')
  const { kind, rules } = parse(readFileSync(resolve(folder, file), 'utf8')) as Role
  expect(kind).toBe('ClusterRole')
  return rules
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => resources.flatMap((name) => verbs.map((verb) => `${verb} ${name}.${group}`))),
    )
    .toSorted()
}

function asked(rights: readonly Right[]): readonly string[] {
  return rights
    .flatMap(({ resource, subresource, verbs }) =>
      verbs.map((verb) => {
        const name = subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`
        return `${verb} ${name}.${resource.group}`
      }),
    )
    .toSorted()
}

describe('the rights that doctor checks', () => {
  it('are exactly those that deploy/observe grants', () => {
    expect(asked(OBSERVE_RIGHTS)).toEqual(granted('clusterrole.yaml'))
    expect(asked(SECRET_RIGHTS)).toEqual(granted('secrets.yaml'))
  })

  it('are those that a collection of the fleet uses', () => {
    const lists = FLEET_LISTS.map(({ resource }) => `list ${resource.plural}.${resource.group}`)
    expect(asked(OBSERVE_RIGHTS)).toEqual([...lists, 'get pods/log.', 'get nodes/proxy.'].toSorted())
  })

  it('are read-only, and without Secrets by default', () => {
    for (const right of granted('clusterrole.yaml')) {
      expect(right).toMatch(/^(?:get|list) /)
      expect(right).not.toContain('secrets')
      expect(right).not.toContain('*')
    }
  })
})

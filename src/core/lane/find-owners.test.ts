import { describe, expect, it } from 'vitest'
import { findOwners } from './find-owners.ts'

const writes = (manager: string, field = 'f:maxRunners') => ({
  metadata: { managedFields: [{ manager, operation: 'Update', fieldsV1: { 'f:spec': { [field]: {} } } }] },
})

describe('who owns a set', () => {
  it.each([
    [{ labels: { 'app.kubernetes.io/managed-by': 'Helm' } }, ['Helm']],
    [{ annotations: { 'meta.helm.sh/release-name': 'a', 'meta.helm.sh/release-namespace': 'b' } }, ['Helm b/a']],
    [{ labels: { 'argocd.argoproj.io/instance': 'runners' } }, ['Argo CD runners']],
    [{ annotations: { 'argocd.argoproj.io/tracking-id': 'runners:actions.github.com/X:n/m' } }, ['Argo CD runners']],
    [
      { labels: { 'kustomize.toolkit.fluxcd.io/name': 'k', 'kustomize.toolkit.fluxcd.io/namespace': 'f' } },
      ['Flux Kustomization f/k'],
    ],
    [{ labels: { 'helm.toolkit.fluxcd.io/name': 'h' } }, ['Flux HelmRelease h']],
    [{ labels: { other: 'x' } }, []],
  ])('by %j: %j', (metadata, owners) => {
    const found = findOwners({ metadata })
    expect(found.map(({ tool, name }) => (name === null ? tool : `${tool} ${name}`))).toEqual(owners)
  })

  it.each([
    ['terraform', ['terraform']],
    ['argocd-controller', ['Argo CD']],
    ['kustomize-controller', ['Flux Kustomization']],
    // A person, ARC itself, and we.
    ['kubectl-edit', []],
    ['manager', []],
    ['signalbox', []],
  ])('by the field manager %s: %j', (manager, owners) => {
    expect(findOwners(writes(manager)).map(({ tool }) => tool)).toEqual(owners)
  })

  it('is nobody who writes only other fields', () => {
    expect(findOwners(writes('terraform', 'f:template'))).toEqual([])
  })
})

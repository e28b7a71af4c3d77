import { describe, expect, it } from 'vitest'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { UnaddressableName, apiPath } from './api-path.ts'

const { pods, nodes, ephemeralRunners } = RESOURCES

describe('the path of a resource', () => {
  it.each([
    [{ resource: pods }, '/api/v1/pods'],
    [{ resource: pods, namespace: 'a' }, '/api/v1/namespaces/a/pods'],
    [{ resource: pods, namespace: 'a', name: 'b', subresource: 'log' }, '/api/v1/namespaces/a/pods/b/log'],
    [{ resource: nodes, namespace: 'ignored', name: 'n' }, '/api/v1/nodes/n'],
    [
      { resource: ephemeralRunners, namespace: 'a', name: 'b' },
      '/apis/actions.github.com/v1alpha1/namespaces/a/ephemeralrunners/b',
    ],
    [{ resource: pods, namespace: '../..', name: 'x/y?z' }, '/api/v1/namespaces/..%2F../pods/x%2Fy%3Fz'],
  ])('%#', (place, path) => {
    expect(apiPath(place)).toBe(path)
  })

  it.each(['', '.', '..'])('is none for the name %j, which would reach what was not meant', (name) => {
    expect(() => apiPath({ resource: pods, namespace: 'a', name })).toThrow(UnaddressableName)
    expect(() => apiPath({ resource: pods, namespace: name })).toThrow(UnaddressableName)
  })
})

import { describe, expect, it } from 'vitest'
import { parseObject } from './parse-object.ts'

const metadata = { name: 'pod', uid: 'u', resourceVersion: '1' }
const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName: 'n' } }
const owner = { apiVersion: 'v1', kind: 'Set', name: 's', uid: 'o' }

describe('an object', () => {
  it('keeps everything that it came with', () => {
    const full = { ...metadata, labels: { a: 'b' }, finalizers: ['f'], ownerReferences: [owner], selfLink: '/x' }
    expect(parseObject({ ...pod, metadata: full })).toEqual({ ...pod, metadata: full })
  })

  it('takes its kind from the list that it came in', () => {
    const inherited = { apiVersion: 'v1', kind: 'Pod' }
    expect(parseObject({ metadata }, inherited)).toEqual({ ...inherited, metadata })
    expect(parseObject({ metadata })).toBe('apiVersion and kind')
  })

  it('has no nulls in its metadata', () => {
    expect(parseObject({ ...pod, metadata: { ...metadata, creationTimestamp: null } })).toEqual(pod)
  })

  it.each([
    [null, 'the object'],
    [[], 'the object'],
    [{ ...pod, kind: 7 }, 'apiVersion and kind'],
    [{ ...pod, metadata: [] }, 'metadata'],
    [{ ...pod, metadata: { ...metadata, name: '' } }, 'metadata.name'],
    [{ ...pod, metadata: { ...metadata, uid: 7 } }, 'metadata.uid'],
    [{ ...pod, metadata: { ...metadata, uid: null } }, 'metadata.uid'],
    [{ ...pod, metadata: { ...metadata, resourceVersion: undefined } }, 'metadata.resourceVersion'],
    [{ ...pod, metadata: { ...metadata, labels: { a: 1 } } }, 'metadata.labels'],
    [{ ...pod, metadata: { ...metadata, finalizers: 'f' } }, 'metadata.finalizers'],
    [{ ...pod, metadata: { ...metadata, deletionTimestamp: 5 } }, 'metadata.deletionTimestamp'],
    [{ ...pod, metadata: { ...metadata, ownerReferences: [{ kind: 'Set' }] } }, 'metadata.ownerReferences'],
    [{ ...pod, metadata: { ...metadata, managedFields: {} } }, 'metadata.managedFields'],
  ])('of another shape is refused by the name of the field: %#', (value, field) => {
    expect(parseObject(value)).toBe(field)
  })
})

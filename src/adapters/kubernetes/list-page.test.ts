import { describe, expect, it } from 'vitest'
import { readPage } from './list-page.ts'

const metadata = { name: 'pod', uid: 'u', resourceVersion: '1' }
const page = { apiVersion: 'v1', kind: 'PodList', metadata: { resourceVersion: '9' }, items: [{ metadata }] }
const whole = (object: object): object => object

function read(value: object) {
  return readPage({ ...page, ...value }, whole as never, 'GET /pods')
}

describe('a page of a list', () => {
  it('gives its items the kind that the list has', () => {
    const items = [{ apiVersion: 'v1', kind: 'Pod', metadata }]
    expect(read({})).toEqual({ kind: 'page', items, resourceVersion: '9', next: null })
  })

  it('has a next one where the server says so', () => {
    const more = { resourceVersion: '9', continue: 'token', remainingItemCount: 5 }
    expect(read({ metadata: more })).toMatchObject({ kind: 'page', next: 'token' })
    expect(read({ metadata: { resourceVersion: '9', continue: '' } })).toMatchObject({ next: null })
  })

  it('is truncated where more is announced and cannot be asked for', () => {
    const reason = { code: 'truncated' }
    expect(read({ metadata: { resourceVersion: '9', remainingItemCount: 5 } })).toMatchObject({ kind: 'blind', reason })
  })

  it('is empty where Go wrote null', () => {
    expect(read({ items: null })).toMatchObject({ kind: 'page', items: [] })
  })

  it.each([
    [{ kind: 'Pod' }],
    [{ kind: undefined }],
    [{ apiVersion: 1 }],
    [{ items: undefined }],
    [{ items: {} }],
    [{ items: [{ metadata }, null] }],
    [{ items: [{ metadata }, { metadata: { ...metadata, uid: 7 } }] }],
    [{ metadata: {} }],
    [{ metadata: { resourceVersion: '' } }],
  ])('of another shape is malformed as a whole: %j', (value) => {
    expect(read(value)).toMatchObject({ kind: 'blind', reason: { code: 'malformed' } })
  })
})

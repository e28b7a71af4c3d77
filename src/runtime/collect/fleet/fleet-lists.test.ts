import { describe, expect, it } from 'vitest'
import { blind, seen } from '#/core/basics/observed.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { wholeOrBlind } from './fleet-lists.ts'

const one: KubeObject = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x', uid: 'u', resourceVersion: '1' } }

describe('a list of a fleet', () => {
  it.each<{ of: string; namespaces: readonly string[] | null; isEmpty?: true; areNamed?: true; expected: string }>([
    { of: 'all namespaces', namespaces: null, expected: 'seen' },
    { of: 'all namespaces, and empty', namespaces: null, isEmpty: true, expected: 'seen' },
    { of: 'the namespaces of the context', namespaces: ['a', 'b'], expected: 'forbidden' },
    { of: 'all the namespaces that are named', namespaces: ['a', 'b'], areNamed: true, expected: 'seen' },
    { of: 'some of the namespaces that are named', namespaces: ['a'], areNamed: true, expected: 'forbidden' },
    { of: 'those, and empty', namespaces: ['a', 'b'], isEmpty: true, areNamed: true, expected: 'forbidden' },
  ])('of $of is $expected', ({ namespaces, isEmpty, areNamed, expected }) => {
    const listing = seen({ items: isEmpty === true ? [] : [one], namespaces, remark: 'r', isUnknownKind: false })
    const places = { namespaces: ['a', 'b'], isInsideOnly: areNamed === true }
    const judged = wholeOrBlind({ name: 'pods' }, listing, places)
    expect(judged.kind === 'blind' ? judged.reason.code : judged.kind).toBe(expected)
  })

  it('that is blind stays so', () => {
    const no = blind('timeout', 'x')
    expect(wholeOrBlind({ name: 'pods' }, no, { namespaces: [], isInsideOnly: true })).toEqual(no)
  })
})

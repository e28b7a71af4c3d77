import { describe, expect, it } from 'vitest'
import { sha256 } from '#/runtime/sha256.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { containerEnv } from './runner-env.ts'
import type { FindSecret } from './runner-env.ts'

const encode = (text: string): string => btoa(text)
const SECRETS = new Map<string, Fields>([
  ['ns/full', { metadata: { name: 'full' }, data: { name: encode('main') } }],
  [
    'ns/digests',
    { metadata: { name: 'digests' }, data: { name: `sha256:${sha256(new TextEncoder().encode('main'))}` } },
  ],
  [
    'ns/encoded',
    { metadata: { name: 'encoded' }, data: { name: encode(`sha256:${sha256(new TextEncoder().encode('main'))}`) } },
  ],
])
const whole: FindSecret = (namespace, name) => SECRETS.get(`${namespace}/${name}`) ?? null
const unseen: FindSecret = () => undefined

function variable(container: Fields, findSecret: FindSecret = whole) {
  return containerEnv(container, { namespace: 'ns', findSecret, digest: sha256 }).variable('V')
}

const listed = (entry: Fields): Fields => ({ env: [{ name: 'V', ...entry }] })
const fromKey = (name: string, changes: Fields = {}): Fields =>
  listed({ valueFrom: { secretKeyRef: { name, key: 'name', ...changes } } })

describe('a variable of a container', () => {
  it.each([
    ['a value', listed({ value: 'x' }), { kind: 'value', text: 'x' }],
    ['an empty value', listed({ value: '' }), { kind: 'unset' }],
    ['nothing but spaces', listed({ value: ' ' }), { kind: 'unset' }],
    ['no value at all', listed({}), { kind: 'unset' }],
    ['no entry', {}, { kind: 'unset' }],
    ['a redacted value', listed({ value: '‹redacted:env›' }), { kind: 'hidden' }],
    ['a field of the pod', listed({ valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }), { kind: 'hidden' }],
    [
      'a key of a ConfigMap',
      listed({ valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }),
      { kind: 'hidden', from: 'ConfigMap c' },
    ],
    [
      'an optional key of a ConfigMap',
      listed({ valueFrom: { configMapKeyRef: { name: 'c', key: 'k', optional: true } } }),
      { kind: 'maybe' },
    ],
    ['a key of a Secret', fromKey('full'), { kind: 'hidden', from: 'Secret full' }],
    ['a Secret that is not there', fromKey('gone'), { kind: 'lacking', secret: 'gone', key: 'name' }],
    ['a key that is not there', fromKey('full', { key: 'other' }), { kind: 'lacking', secret: 'full', key: 'other' }],
    ['an optional Secret that is not there', fromKey('gone', { optional: true }), { kind: 'unset' }],
    ['a whole ConfigMap', { envFrom: [{ configMapRef: { name: 'c' } }] }, { kind: 'maybe', from: 'ConfigMap c' }],
    ['a whole Secret without it', { envFrom: [{ secretRef: { name: 'full' } }] }, { kind: 'unset' }],
    ['a whole Secret that is not there', { envFrom: [{ secretRef: { name: 'gone' } }] }, { kind: 'lacking' }],
    [
      'an optional whole Secret that is not there',
      { envFrom: [{ secretRef: { name: 'gone', optional: true } }] },
      { kind: 'unset' },
    ],
    [
      'a ConfigMap with a prefix of its own',
      { envFrom: [{ prefix: 'X_', configMapRef: { name: 'c' } }] },
      { kind: 'unset' },
    ],
  ])('of %s', (_, container, expected) => {
    expect(variable(container)).toMatchObject(expected)
  })

  it('comes from a whole Secret with its prefix', () => {
    const env = containerEnv(
      { envFrom: [{ prefix: 'CACHE_', secretRef: { name: 'full' } }] },
      { namespace: 'ns', findSecret: whole, digest: sha256 },
    )
    expect(env.variable('CACHE_name').kind).toBe('hidden')
    expect(env.variable('name').kind).toBe('unset')
  })

  it('is searched in all sources before it may be in an unread one', () => {
    const envFrom = [{ prefix: 'V_', secretRef: { name: 'full' } }, { configMapRef: { name: 'c' } }]
    const env = containerEnv({ envFrom }, { namespace: 'ns', findSecret: whole, digest: sha256 })
    expect(env.variable('V_name').kind).toBe('hidden')
    expect(env.variable('other').kind).toBe('maybe')
  })

  it.each(['full', 'digests', 'encoded'])('out of a Secret can be compared and not read (%s)', (name) => {
    const found = variable(fromKey(name))
    expect(found.kind === 'hidden' && [found.equals?.('main'), found.equals?.('mai')]).toEqual([true, false])
    expect(JSON.stringify(found)).not.toContain('main')
  })

  it('of a Secret is set, or may be, if Secrets could not be read', () => {
    expect(variable(fromKey('any'), unseen)).toMatchObject({ kind: 'hidden', equals: null })
    expect(variable(fromKey('any', { optional: true }), unseen).kind).toBe('maybe')
    expect(variable({ envFrom: [{ secretRef: { name: 'any' } }] }, unseen).kind).toBe('maybe')
  })

  it('of no container is unset', () => {
    expect(containerEnv(null, { namespace: 'ns', findSecret: whole, digest: sha256 }).variable('V').kind).toBe('unset')
  })
})

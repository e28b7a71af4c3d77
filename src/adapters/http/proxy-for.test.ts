import { describe, expect, it } from 'vitest'
import { proxyFor } from './proxy-for.ts'

const PROXY = 'http://proxy.test:3128'

const TABLE: readonly (readonly [string, string | undefined, string | null])[] = [
  ['https://api.test', undefined, PROXY],
  ['https://api.test', '', PROXY],
  ['https://api.test', '*', null],
  ['https://api.test', 'other.test, api.test', null],
  ['https://API.test', 'api.TEST', null],
  ['https://eu.api.test', 'api.test', null],
  ['https://notapi.test', 'api.test', PROXY],
  ['https://api.test', '.api.test', PROXY],
  ['https://eu.api.test', '.api.test', null],
  ['https://eu.api.test', '*.api.test', null],
  ['https://api.test', '*.api.test', PROXY],
  ['https://api.test:6443', 'api.test:6443', null],
  ['https://api.test:6443', 'api.test:443', PROXY],
  ['https://api.test', 'api.test:443', null],
  ['https://10.96.0.1', '10.96.0.1', null],
  ['https://10.96.0.1', '10.96.0.0/12', null],
  ['https://10.112.0.1', '10.96.0.0/12', PROXY],
  ['https://10.96.0.1:6443', '10.96.0.1:6443', null],
  ['https://[fd00::1]', 'fd00::/8', null],
  ['https://[fd00::1]:6443', '[fd00::1]:6443', null],
  ['https://[fe00::1]', 'fd00::/8', PROXY],
  ['https://api.test', '10.0.0.0/8', PROXY],
  ['https://10.0.0.1', '10.0.0.0/99', PROXY],
  ['https://10.0.0.1', '10.0.0.0/', PROXY],
  ['https://10.0.0.1', 'nonsense/8', PROXY],
  ['https://127.0.0.1:6443', undefined, null],
  ['https://localhost', undefined, null],
  ['https://[::1]', undefined, null],
]

describe('the way to a target', () => {
  it.each(TABLE)('for %s with NO_PROXY=%s is %s', (target, noProxy, way) => {
    expect(proxyFor(new URL(target), { httpsProxy: PROXY, noProxy })).toBe(way)
  })

  it('is chosen by the protocol of the target', () => {
    const proxies = { httpsProxy: 'http://secure.test', httpProxy: 'http://plain.test' }
    expect(proxyFor(new URL('https://api.test'), proxies)).toBe('http://secure.test')
    expect(proxyFor(new URL('http://api.test'), proxies)).toBe('http://plain.test')
    expect(proxyFor(new URL('http://api.test'), { httpsProxy: PROXY })).toBeNull()
    expect(proxyFor(new URL('https://api.test'), { httpsProxy: '' })).toBeNull()
  })
})

import { describe, expect, it } from 'vitest'
import { parseListenAddress } from '#/config/listen-address.ts'

describe('parseListenAddress', () => {
  it.each([
    ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['[::1]:65535', { host: '::1', port: 65_535 }],
  ])('reads %s', (text, address) => {
    expect(parseListenAddress(text)).toEqual(address)
  })

  it.each(['', '8080', ':8080', 'host', 'host:', 'host:x', 'host:65536', '::1:80', 'a b:80', 'host:80/x', '[zz]:80'])(
    'refuses %j',
    (text) => {
      expect(parseListenAddress(text)).toBeNull()
    },
  )
})

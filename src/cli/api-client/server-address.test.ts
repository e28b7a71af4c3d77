import { describe, expect, it } from 'vitest'
import { onThisMachine } from './server-address.ts'

describe('the URL of a server on its own machine', () => {
  it.each([
    ['http://0.0.0.0:8080', 'http://127.0.0.1:8080'],
    ['https://[::]:8443', 'https://127.0.0.1:8443'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    ['http://10.0.0.0:80', 'http://10.0.0.0:80'],
  ])('%s: %s', (listening, asked) => {
    expect(onThisMachine(listening)).toBe(asked)
  })
})

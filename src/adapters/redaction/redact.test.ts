import { describe, expect, it } from 'vitest'
import { redact } from './redact.ts'

describe('redact', () => {
  it.each([
    ['connect postgres://me:hunter2@db:5432/x failed', 'hunter2'],
    ['postgres://me:h@unter2@db', 'unter2'],
    ['proxy http://u:p%40ss@proxy', 'p%40ss'],
    ['token ghp_abcDEF123abcDEF123abcDEF123abcDEF123 refused', 'ghp_'],
    ['ghs_16C7e42F292c6912E7710c838347Ae178B4a', '16C7'],
    ['github_pat_11AAAAAAAA0bbbbbbbbbbb_cccccccccccccccccccc', '11AAAA'],
    ['Authorization: Bearer abc.def-ghi_jkl', 'abc.def'],
    ['jwt eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl', 'eyJ'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----', 'MIIE'],
    ['-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA', 'MIIE'],
  ])('hides what is secret in %j', (text, secret) => {
    expect(redact(text)).not.toContain(secret)
    expect(redact(text)).toContain('‹redacted:')
  })

  it.each([
    'GET https://api.github.com/rate_limit: 403',
    'pod arc-runner-abc12 of 10.0.0.1:443',
    'user me@example.org',
  ])('leaves %j as it is', (text) => {
    expect(redact(text)).toBe(text)
  })
})

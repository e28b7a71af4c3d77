import { describe, expect, it } from 'vitest'
import { refusePath } from './bundle-path.ts'
import { answerFor, parseReasonCode } from './bundle-source.ts'

describe('the answer for a source', () => {
  const blind = (reason: string) => ({ kind: 'blind' as const, reason })

  it.each([
    ['kubernetes/pods.json', 'kubernetes/pods'],
    ['kubernetes/audit.jsonl', 'kubernetes/audit'],
    ['kubernetes/stats/ip-10-0-0-1.internal.json', 'kubernetes/stats/ip-10-0-0-1.internal'],
    ['kubernetes/stats/n.json', 'kubernetes/stats'],
    ['logs/a/b/c.previous.log', 'logs/a/b/c'],
    ['logs/a/b/c.log', 'logs/a'],
    ['journal/n.log', 'journal/n'],
    ['journal/n.jsonl', 'journal'],
    ['cgroup/a/b/memory.events', 'cgroup'],
    ['host/h/proc/sys/fs/file-nr', 'host/h'],
    ['github/rate-limit.json', 'github/rate-limit'],
    ['gitlab/config.toml', 'gitlab/config'],
    ['fleet.yaml', 'fleet'],
  ])('of %s is under %s', (path, name) => {
    expect(answerFor(new Map([[name, blind('x')]]), path)).toEqual(blind('x'))
  })

  it('is not that of a source with a longer name', () => {
    expect(answerFor(new Map([['journal/node-10', blind('x')]]), 'journal/node-1.log')).toBeNull()
    expect(answerFor(new Map([['log', blind('x')]]), 'logs/a/b/c.log')).toBeNull()
  })
})

describe('the code of a reason', () => {
  it.each([
    ['rate-limited: try later', 'rate-limited'],
    ['403: no right', 'forbidden'],
    ['403 Forbidden', 'forbidden'],
    ['401', 'unauthenticated'],
    ['404: the job has not ended', 'expired'],
    ['503 from the proxy', 'server-error'],
    ['not asked for', 'not-asked'],
    ['forbidden by policy', 'forbidden'],
    ['secrets is forbidden: User "a" cannot list resource "secrets" in API group ""', 'forbidden'],
    ['the server answered 403', 'forbidden'],
    ['GitHub says Bad credentials', 'unauthenticated'],
    ['context deadline exceeded', 'timeout'],
    ['403: API rate limit exceeded', 'forbidden'],
    ['audit logging is off on this cluster', 'unsupported'],
    ['', 'unsupported'],
  ])('"%s" is %s', (reason, code) => {
    expect(parseReasonCode(reason)).toBe(code)
  })
})

describe('a path in a bundle', () => {
  it.each(['', '/a', 'C:/a', 'a\\b', 'a\nb', 'a\u007f', '..', 'a/../b', './a', 'a//b', 'a/', 'a'.repeat(1025)])(
    'may not be %j',
    (path) => {
      expect(refusePath(path)).not.toBeNull()
    },
  )

  it.each(['meta.json', 'logs/a/b/c.previous.log', 'host/h/..a', 'ä/b c'])('may be %j', (path) => {
    expect(refusePath(path)).toBeNull()
  })
})

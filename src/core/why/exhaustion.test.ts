import { describe, expect, it } from 'vitest'

import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { fullDisks, fullFileTable, refusedForks, unreachable } from '#/core/why/exhaustion.ts'
import { makeEvidence, logFact } from '#test/why/evidence.ts'

const dossier = (changes: Partial<Evidence>) => openDossier(makeEvidence(changes))
const cgroup = (name: string, content: string) => ({
  cgroups: [{ container: null, files: new Map([[name, content]]) }],
})

describe('refused forks', () => {
  it.each([
    ['max 3', 1],
    ['max 0', 0],
    ['', 0],
  ])('by %j: %i', (content, count) => {
    expect(refusedForks(dossier(cgroup('pids.events', content)))).toHaveLength(count)
  })
})

describe('a full table of files', () => {
  it.each([
    ['98\t0\t100', 1],
    ['97\t0\t100', 0],
    ['0\t0\t0', 0],
    ['', 0],
    ['broken', 0],
  ])('by %j: %i', (content, count) => {
    expect(fullFileTable(dossier({ host: new Map([['proc/sys/fs/file-nr', content]]) }))).toHaveLength(count)
  })
})

describe('a full disk', () => {
  const df = (line: string) => ['Filesystem 1K-blocks Used Available Use% Mounted on', line].join('\n')

  it.each([
    ['overlay 100 100 0 100% /', 1],
    ['overlay 100 99 1 99% /var/lib', 1],
    ['overlay 100 98 2 98% /', 0],
    ['tmpfs 100 100 0 100% nowhere', 0],
  ])('by %j: %i', (line, count) => {
    expect(fullDisks(dossier({ host: new Map([['df', df(line)]]) }))).toHaveLength(count)
  })

  it('can be full of inodes, not bytes', () => {
    expect(fullDisks(dossier({ host: new Map([['df-i', df('overlay 100 100 0 100% /')]]) }))[0]?.text).toBe(
      'df-i: / is 100 % full',
    )
  })
})

describe('a runner that could not reach GitHub', () => {
  const cut = logFact('github-unreachable', { at: 500, order: 5, text: 'Runner connect error: timed out' })
  const back = (is: string, at: number | null, order: number) => logFact(is, { at, order })

  it.each([
    ['never reconnected', [cut], 1],
    ['came back', [cut, back('github-reached-again', 510, 6)], 0],
    ['renewed its lock afterwards', [cut, back('lock-renewed', 510, 6)], 0],
    ['had reconnected before', [cut, back('github-reached-again', 490, 4)], 1],
    ['was cut off again in the same second', [back('github-reached-again', 500, 4), cut], 1],
    ['reconnected in the same second', [cut, back('github-reached-again', 500, 6)], 0],
    ['only failed to poll once', [{ ...cut, text: 'Failed to get message, retrying' }], 0],
  ])('%s', (_what, clues, count) => {
    expect(unreachable(dossier({ clues }))).toHaveLength(count)
  })

  const said = (why: string) => ({
    ...cut,
    text: `2026-06-06 21:30:14Z: Runner connect error: ${why}. Retrying until reconnected.`,
  })

  it.each([
    'Error: Conflict',
    'The actions runner linux-8g-1 already has an active session.',
    'Error: Unauthorized',
    'You are not authorized to access https://broker.actions.githubusercontent.com.',
    'Access denied. System:ServiceIdentity;DDDDDDDD needs View permissions to perform the action.',
    'Registration 8a1f1e0c-2f0f-4a3b-9a0e-0d8b8a1f1e0c was not found.',
    'Registration was not found or is not medium trust. ClientType: ',
    'Runner version v2.320.0 is deprecated and cannot receive messages.',
    'Error: TooManyRequests',
    'Response status code does not indicate success: 404 (Not Found).',
  ])('got an answer, so it did reach it: %s', (why) => {
    expect(unreachable(dossier({ clues: [said(why)] }))).toEqual([])
  })

  it.each(['Too many open files (broker.actions.githubusercontent.com:443)', 'No space left on device'])(
    'could not even try: %s',
    (why) => {
      expect(unreachable(dossier({ clues: [said(why)] }))).toEqual([])
    },
  )

  it.each([
    'Name or service not known (broker.actions.githubusercontent.com:443)',
    'Resource temporarily unavailable (broker.actions.githubusercontent.com:443)',
    'Connection refused (10.0.0.1:3128)',
    'The HTTP request timed out after 00:01:00.',
    'The SSL connection could not be established, see inner exception.',
    "The proxy tunnel request to proxy 'http://proxy:3128/' failed with status code '403'.",
    'Error: ServiceUnavailable',
    'Response status code does not indicate success: 503 (Service Unavailable).',
  ])('was stopped on the way: %s', (why) => {
    expect(unreachable(dossier({ clues: [said(why)] }))).toHaveLength(1)
  })
})

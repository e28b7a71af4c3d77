import { describe, expect, it } from 'vitest'
import { isSameSite, parseSubjectArgument } from './subject-argument.ts'

const site = 'github.com'
const repository = 'acme/app'
const run = { kind: 'run', site, repository, id: 9, attempt: null }

describe('a subject argument', () => {
  it.each([
    ['linux-a', { kind: 'pod', namespace: null, name: 'linux-a' }],
    ['runners/linux-a', { kind: 'pod', namespace: 'runners', name: 'linux-a' }],
    ['pod/linux-a', { kind: 'pod', namespace: null, name: 'linux-a' }],
    ['GitHub Actions 12', { kind: 'pod', namespace: null, name: 'GitHub Actions 12' }],
    ['88310160733', { kind: 'job', site: null, repository: null, id: 88310160733 }],
  ])('%s is %o', (text, expected) => {
    expect(parseSubjectArgument(text)).toEqual(expected)
  })

  it.each([
    'https://github.com/acme/app/actions/runs/9/job/7',
    'https://github.com/acme/app/actions/runs/9/job/7?pr=3#step:4:12',
    'https://github.com/acme/app/actions/runs/9/attempts/2/job/7',
    'https://github.com/acme/app/runs/7?check_suite_focus=true',
  ])('%s is the page of a job', (text) => {
    expect(parseSubjectArgument(text)).toEqual({ kind: 'job', site, repository, id: 7 })
  })

  it.each([
    ['https://github.com/acme/app/actions/runs/9', run],
    ['https://github.com/acme/app/actions/runs/9/', run],
    ['https://github.com/acme/app/actions/runs/9/workflow', run],
    ['https://github.com/acme/app/actions/runs/9/attempts/2', { ...run, attempt: 2 }],
    [
      'https://api.github.com/repos/acme/app/actions/runs/9/attempts/2/jobs',
      { ...run, site: 'api.github.com', attempt: 2 },
    ],
    ['https://ghe.acme.test/api/v3/repos/acme/app/actions/runs/9', { ...run, site: 'ghe.acme.test' }],
  ])('%s is a run', (text, expected) => {
    expect(parseSubjectArgument(text)).toEqual(expected)
  })

  it('can be the API URL of a job', () => {
    const job = parseSubjectArgument('https://api.github.com/repos/acme/app/actions/jobs/7')
    expect(job).toEqual({ kind: 'job', site: 'api.github.com', repository, id: 7 })
  })

  it.each([
    'a/b/c',
    '/a',
    'a/',
    '',
    '0',
    '99999999999999999999',
    'https://github.com/acme/app',
    'https://github.com/acme/app/pull/7',
    'https://github.com/acme/app/actions/runs/99999999999999999999',
    'https://github.com/acme/app/actions/runs/9/attempts/0',
    'https://github.com/acme/app/actions/runs/9/attempts/9007199254740993',
    'https://',
  ])('%j is none', (text) => {
    expect(parseSubjectArgument(text)).toMatchObject({ kind: 'unreadable', why: expect.any(String) as string })
  })
})

describe('the host of a URL', () => {
  it.each([
    ['github.com', 'https://api.github.com', true],
    ['api.github.com', 'https://api.github.com', true],
    ['ghe.acme.test', 'https://ghe.acme.test/api/v3', true],
    ['acme.ghe.test', 'https://api.acme.ghe.test', true],
    ['ghe.acme.test', 'https://api.github.com', false],
    ['github.com', 'https://ghe.acme.test/api/v3', false],
  ])('%s belongs to %s: %s', (host, baseUrl, isItsOwn) => {
    expect(isSameSite(host, baseUrl)).toBe(isItsOwn)
  })
})

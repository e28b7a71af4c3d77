import { describe, expect, it } from 'vitest'
import { isForHosted, isWaiting, readFleetJob, readGitHubRunner, parseScope, servesRepository } from './github-facts.ts'

describe('a job at GitHub', () => {
  it.each([
    [{ run_url: 'https://api.github.com/repos/acme/app/actions/runs/1' }, 'acme/app'],
    [{ html_url: 'https://github.com/acme/app/actions/runs/1/job/2' }, 'acme/app'],
    [{ run_url: 'https://ghe.example/api/v3/repos/acme/app/actions/runs/1' }, 'acme/app'],
    [{}, null],
  ])('%o is of repository %s', (fields, repository) => {
    expect(readFleetJob(fields).repository).toBe(repository)
  })

  it('waits for a runner while it is queued, and not for an approval, while it runs or when it has ended', () => {
    const waiting = (status: string) => isWaiting(readFleetJob({ status }))
    expect(['queued', 'waiting', 'in_progress', 'completed'].map(waiting)).toEqual([true, false, false, false])
  })

  it("is for GitHub's own machines by their labels, unless it says self-hosted", () => {
    const hosted = (labels: readonly string[]) => isForHosted(readFleetJob({ labels }))
    expect([
      hosted(['ubuntu-latest']),
      hosted(['ubuntu-24.04-arm']),
      hosted(['self-hosted', 'ubuntu-latest']),
      hosted(['linux-x64']),
    ]).toEqual([true, true, false, false])
  })
})

describe('the scope of a registration', () => {
  it.each([
    ['https://github.com/acme', 'acme/app', true],
    ['https://github.com/acme', 'other/app', false],
    ['https://github.com/acme/app', 'acme/app', true],
    ['https://github.com/Acme/App', 'acme/app', true],
    ['https://github.com/acme/app', 'acme/web', false],
    ['https://github.com/enterprises/big', 'acme/web', true],
    [null, 'acme/web', true],
    ['https://github.com/acme', null, true],
  ])('%s serves %s: %s', (url, repository, answer) => {
    expect(servesRepository(parseScope(url), repository)).toBe(answer)
  })
})

describe('a runner at GitHub', () => {
  it("is busy and online only with GitHub's exact values", () => {
    expect(readGitHubRunner({ name: 'a', status: 'online', busy: true, labels: [{ name: 'x' }, 'y'] })).toEqual({
      id: null,
      name: 'a',
      isOnline: true,
      isBusy: true,
      labels: ['x', 'y'],
    })
    expect(readGitHubRunner({ status: 'idle', busy: 'true' })).toMatchObject({ isOnline: false, isBusy: false })
  })
})

import { describe, expect, it } from 'vitest'
import { isSameRun, runIn, readRecordedRun } from './subject-run.ts'

const RUN = { site: 'github.com', repository: 'acme/app', id: 9 }

describe('the run in a URL', () => {
  it.each([
    'https://github.com/acme/app/actions/runs/9',
    'https://github.com/acme/app/actions/runs/9?pr=3',
    'https://github.com/acme/app/actions/runs/9/attempts/2',
    'https://github.com/acme/app/actions/runs/9/job/7',
  ])('is in %s', (address) => {
    expect(runIn(address)).toEqual(RUN)
  })

  it.each(['https://github.com/acme/app/actions/jobs/7', 'https://github.com/acme/app/runs/7', '9', '', 'linux-a'])(
    'is not in %j',
    (address) => {
      expect(runIn(address)).toBeNull()
    },
  )
})

describe('one run', () => {
  it.each<[string, object, boolean]>([
    ['of another number', { id: 10 }, false],
    ['of another repository', { repository: 'acme/api' }, false],
    ['of another GitHub', { site: 'ghe.acme.test' }, false],
    ['in the API', { site: 'api.github.com' }, true],
    ['written in other letters', { repository: 'Acme/App' }, true],
    ['of which nothing but the number is known', { site: null, repository: null }, true],
  ])('compared with one %s', (_, changes, expected) => {
    expect(isSameRun(RUN, { ...RUN, ...changes })).toBe(expected)
  })

  it('is shown by ARC’s record, with the GitHub that its runners are registered with', () => {
    const status = { workflowRunId: 9, jobRepositoryName: 'acme/app' }
    const spec = { githubConfigUrl: 'https://github.com/acme' }
    expect(readRecordedRun({ spec, status })).toEqual(RUN)
    expect(readRecordedRun({ status })).toEqual({ ...RUN, site: null })
    expect(readRecordedRun({ status: { ...status, workflowRunId: 0 } })).toBeNull()
  })
})

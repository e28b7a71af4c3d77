import { describe, expect, it } from 'vitest'
import { readWorkflowJob } from '#/core/github/workflow-job-facts.ts'
import type { SubjectArgument } from '#/core/evidence/subject-argument.ts'
import { planSearch } from './plan-search.ts'

const places = { namespaces: ['home'], isInsideOnly: false, repositories: [], organizations: [] }
const nobody = { subject: null, lastSeen: null, places }
const named = (name: string, namespace: string | null = null): SubjectArgument => ({ kind: 'pod', namespace, name })
const kept = { pod: { metadata: { name: 'a', namespace: 'runners', uid: 'u1' } }, at: 0 }

describe('whom to look for', () => {
  it('is nobody where nobody is named, and the pod that was kept where there is one', () => {
    expect(planSearch(nobody, [])).toEqual({
      wanted: [],
      run: null,
      uid: null,
      namespaces: null,
      listNamespaces: ['home'],
    })
    expect(planSearch({ ...nobody, lastSeen: kept }, [])).toMatchObject({
      wanted: [{ name: 'a' }],
      uid: 'u1',
      listNamespaces: ['runners', 'home'],
    })
  })

  it('is in its namespace, in those that are named, or anywhere', () => {
    const { namespaces, listNamespaces } = planSearch({ ...nobody, subject: named('a', 'runners') }, [])
    expect([namespaces, listNamespaces]).toEqual([new Set(['runners']), ['runners', 'home']])
    const inside = { ...places, isInsideOnly: true }
    expect(planSearch({ ...nobody, subject: named('a'), places: inside }, []).namespaces).toEqual(new Set(['home']))
    expect(planSearch({ ...nobody, subject: named('a') }, []).namespaces).toBeNull()
  })

  it('is known by the UID of the pod that was kept, where that is the one', () => {
    expect(planSearch({ ...nobody, subject: named('a-x1'), lastSeen: kept }, []).uid).toBe('u1')
    expect(planSearch({ ...nobody, subject: named('b'), lastSeen: kept }, []).uid).toBeNull()
  })

  it('are the runners of the jobs that are named', () => {
    const jobs = [readWorkflowJob({ id: 1, runner_name: 'r1' }), readWorkflowJob({ id: 2, runner_name: null })]
    const subject: SubjectArgument = { kind: 'run', site: null, repository: 'a/b', id: 9, attempt: null }
    expect(planSearch({ ...nobody, subject }, jobs).wanted).toEqual([{ name: 'r1', job: jobs[0] }])
  })

  it('are those whom ARC’s records tie to the run, where no attempt of it is meant that GitHub knows', () => {
    const jobs = [readWorkflowJob({ id: 1, runner_name: 'r1' })]
    const subject: SubjectArgument = { kind: 'run', site: null, repository: 'a/b', id: 9, attempt: null }
    expect(planSearch({ ...nobody, subject }, jobs).run).toMatchObject({ repository: 'a/b', id: 9 })
    const second: SubjectArgument = { ...subject, attempt: 2 }
    expect(planSearch({ ...nobody, subject: second }, jobs).run).toBeNull()
    expect(planSearch({ ...nobody, subject: second }, []).run).toMatchObject({ id: 9 })
    const number: SubjectArgument = { kind: 'job', site: null, repository: null, id: 9 }
    expect(planSearch({ ...nobody, subject: number }, []).run).toEqual({ site: null, repository: null, id: 9 })
    expect(planSearch({ ...nobody, subject: number }, jobs).run).toBeNull()
    expect(planSearch({ ...nobody, subject: { ...number, repository: 'a/b' } }, []).run).toBeNull()
  })
})

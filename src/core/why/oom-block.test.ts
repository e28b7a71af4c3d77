import { describe, expect, it } from 'vitest'

import type { About } from '#/core/evidence/about-subject.ts'
import { ownFacts } from '#/core/why/oom-block.ts'
import type { AttributedFact } from '#/core/why/oom-block.ts'
import { journalFact } from '#test/why/evidence.ts'

/** The lines of one kill as the kernel prints them; only the third names the cgroup. */
function block(first: number, pid: string, about: About): readonly AttributedFact[] {
  const line = (is: string, order: number, whose: About, fields: AttributedFact['fields'] = {}) => ({
    ...journalFact(is, { order, fields }),
    about: whose,
  })
  return [
    line('oom-invoked', first, 'node'),
    line('oom-limit', first + 1, 'node'),
    line('oom-kill', first + 2, about, { pid }),
    line('memcg-oom-kill', first + 3, 'node', { pid }),
    line('oom-reaped', first + 4, 'node', { pid }),
  ]
}

const whose = (facts: readonly AttributedFact[]) => ownFacts(facts).map(({ is, about }) => `${is} ${about}`)

describe('the lines of an OOM kill', () => {
  it('all belong to the subject if its cgroup is named', () => {
    expect(whose(block(0, '41', 'subject'))).toEqual([
      'oom-invoked subject',
      'oom-limit subject',
      'oom-kill subject',
      'memcg-oom-kill subject',
      'oom-reaped subject',
    ])
  })

  it('are all left out if the cgroup is that of another pod', () => {
    expect(ownFacts(block(0, '41', 'another'))).toEqual([])
  })

  it('are kept apart when two kills follow each other', () => {
    const facts = [...block(0, '41', 'another'), ...block(10, '42', 'subject')]
    expect(ownFacts(facts).map(({ order }) => order)).toEqual([10, 11, 12, 13, 14])
  })

  it('are kept apart by process id when the kernel mixes them', () => {
    const [, , own] = block(0, '41', 'subject')
    const [, , others] = block(1, '42', 'another')
    const reaped = (order: number, pid: string) => ({
      ...journalFact('oom-reaped', { order, fields: { pid } }),
      about: 'node' as const,
    })
    const facts = [own, others, reaped(7, '41'), reaped(8, '42')].filter((fact) => fact !== undefined)
    expect(ownFacts(facts).map(({ is, order }) => `${is} ${order}`)).toEqual(['oom-kill 2', 'oom-reaped 7'])
  })

  it('do not belong to an earlier kill with another process id', () => {
    const [, , own] = block(0, '41', 'subject')
    const later = { ...journalFact('global-oom-kill', { order: 9, fields: { pid: '99' } }), about: 'node' as const }
    expect(whose([own, later].filter((fact) => fact !== undefined))).toEqual([
      'oom-kill subject',
      'global-oom-kill node',
    ])
  })

  it('belong to the kill before them if a process id is reused', () => {
    const facts = [...block(0, '41', 'subject'), ...block(10, '41', 'another')]
    expect(ownFacts(facts).map(({ order }) => order)).toEqual([0, 1, 2, 3, 4])
  })

  it('stay with the node when no line names a cgroup', () => {
    const [invoked, limit] = block(0, '41', 'node')
    expect(whose([invoked, limit].filter((fact) => fact !== undefined))).toEqual(['oom-invoked node', 'oom-limit node'])
  })

  it('leave other lines alone, except lines about another pod', () => {
    const line = (about: About) => ({ ...journalFact('shim-lost'), about })
    const lines = [line('subject'), line('node'), line('another')]
    expect(whose([...lines, ...block(5, '41', 'another')])).toEqual(['shim-lost subject', 'shim-lost node'])
  })
})

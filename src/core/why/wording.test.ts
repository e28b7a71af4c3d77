import { describe, expect, it } from 'vitest'

import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import {
  memoryLimit,
  theContainer,
  theJob,
  theNode,
  thePod,
  clueField,
  upper,
  whileWorking,
} from '#/core/why/wording.ts'
import { SUBJECT, makeContainer, endedPod, makeEvidence, journalFact, logFact, makePod } from '#test/why/evidence.ts'

const dossier = (changes: Partial<Evidence>) => openDossier(makeEvidence(changes))
const about = (changes: Partial<Evidence['subject']>) => dossier({ subject: { ...SUBJECT, ...changes } })

describe('words for the subject', () => {
  it('name the pod, else the runner, else neither', () => {
    expect(thePod(about({}))).toBe('pod ci/linux-x1')
    expect(thePod(about({ namespace: null }))).toBe('pod linux-x1')
    expect(thePod(about({ pod: null }))).toBe('runner linux-x1')
    expect(thePod(about({ pod: null, runner: null }))).toBe('the runner')
  })

  it('name the container and its pod', () => {
    expect(theContainer(about({}))).toBe('the runner container of pod ci/linux-x1')
    expect(theContainer(about({ pod: null }))).toBe('the runner container')
    expect(theContainer(dossier({ pod: makePod({ containers: [makeContainer({ name: 'main' })] }) }))).toContain(
      'the main container',
    )
  })

  it('name node and job where they are known', () => {
    expect([theNode(about({})), theNode(about({ node: null }))]).toEqual(['node n1', 'the node'])
    expect([theJob(about({})), theJob(about({ jobId: null }))]).toEqual(['job 7', 'the job'])
  })

  it('say what it was doing', () => {
    expect(whileWorking(about({}))).toBe(' while job 7 was running')
    expect(whileWorking(about({ jobId: null }))).toBe('')
    expect(whileWorking(dossier({ subject: { ...SUBJECT, jobId: null }, clues: [logFact('job-running')] }))).toBe(
      ' while it ran a job',
    )
  })

  it('have the memory limit of the container that ended', () => {
    expect(memoryLimit(dossier({ pod: endedPod(137) }))).toBe(' (8Gi)')
    expect(memoryLimit(dossier({ pod: makePod({ containers: [makeContainer({ memoryLimit: null })] }) }))).toBe('')
    expect(memoryLimit(dossier({}))).toBe('')
  })

  it('begin with a capital', () => {
    expect([upper('pod x'), upper('')]).toEqual(['Pod x', ''])
  })
})

describe('a field of a clue', () => {
  it('is from the first clue that has it, the subject before the node', () => {
    const clues = [
      journalFact('evicted-for-node', { about: 'node', fields: { resource: 'disk' } }),
      journalFact('evicted-for-node'),
      journalFact('evicted-for-node', { fields: { resource: 'memory' } }),
    ]
    expect(clueField(dossier({ clues }), 'evicted-for-node', 'resource')).toBe('memory')
    expect(clueField(dossier({ clues: clues.slice(0, 2) }), 'evicted-for-node', 'resource')).toBe('disk')
    expect(clueField(dossier({ clues: clues.slice(1, 2) }), 'evicted-for-node', 'resource')).toBeNull()
  })
})

import { expect, test } from 'vitest'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import { expiredParts, standingParts } from './evidence-parts.ts'

test('a source that was blind at first and gave a file later is listed once', () => {
  const part = (source: string, observed: EvidencePart['observed']): EvidencePart => {
    return { source, observed, reason: null, content: null, revision: 1 }
  }
  const blind = ['logs/ci/a/runner', 'logs/ci/a/run', 'journal/n1', 'kubernetes/audit.jsonl']
  const parts = [
    ...blind.map((source) => part(source, 'blind')),
    part('logs/ci/a/runner.log', 'seen'),
    part('journal/n1.jsonl', 'none'),
  ]
  expect(standingParts(parts).map(({ source }) => source)).toEqual([
    'logs/ci/a/run',
    'kubernetes/audit.jsonl',
    'logs/ci/a/runner.log',
    'journal/n1.jsonl',
  ])
})

test('a node with dots in its name is not taken for a file that expired', () => {
  const node = 'ip-10-0-1-5.eu-west-1.compute.internal'
  const files = [
    `journal/${node}.jsonl`,
    `host/${node}/df`,
    'cgroup/ci/a/runner/memory.events',
    'kubernetes/events.json',
    'logs/ci/a.b/runner.log',
  ]
  const sources = [`journal/${node}`, `host/${node}`, 'kubernetes/events', 'logs/ci/a.b/runner', 'cgroup/ci/a.b']
  const parts = [...files, ...sources].map((source): EvidencePart => {
    return { source, observed: 'blind', reason: 'expired', content: null, revision: 1 }
  })
  expect([...expiredParts(parts).keys()]).toEqual(files)
})

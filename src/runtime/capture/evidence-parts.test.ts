import { expect, test } from 'vitest'
import type { EvidencePart } from '#/ports/store.ts'
import { standingParts } from './evidence-parts.ts'

test('a source that was blind at first and gave a file later is told once', () => {
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

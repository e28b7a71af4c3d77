import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatDuration } from '#/core/basics/duration.ts'
import { DEFAULT_THRESHOLDS, THRESHOLD_NAMES, thresholdKind } from './thresholds.ts'

const page = resolve(import.meta.dirname, '..', '..', '..', 'docs', 'fleet-file.md')
const [BEGIN, END] = ['<!-- thresholds: from src/core/fleet-file/thresholds.ts -->', '<!-- thresholds end -->']

describe('the thresholds of the audits', () => {
  it('are all in docs/fleet-file.md with their defaults (vitest --update=all rewrites the table)', async () => {
    const [before = '', rest = ''] = readFileSync(page, 'utf8').split(BEGIN)
    const [, after = ''] = rest.split(END)
    const rows = THRESHOLD_NAMES.map((name) => {
      const kind = thresholdKind(name)
      const value = DEFAULT_THRESHOLDS[name]
      return `| \`${name}\` | ${kind} | ${kind === 'duration' ? formatDuration(value) : value} |`
    })
    const table = ['| key | kind | default |', '| --- | --- | --- |', ...rows].join('\n')
    await expect(`${before}${BEGIN}\n\n${table}\n\n${END}${after}`).toMatchFileSnapshot(page)
  })
})

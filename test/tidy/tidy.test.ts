import { describe, expect, it } from 'vitest'

import { TIDY_RULES } from '#test/tidy/rules.ts'
import { sourceFiles } from '#test/tidy/source-files.ts'

const files = sourceFiles(/.*/).filter(
  (file) => !file.path.startsWith('test/bundles/') && file.path !== 'test/tidy/rules.ts',
)

const fileOf = ({ path, text }: { readonly path: string; readonly text: string }) => ({
  path,
  text,
  lines: text.split('\n'),
})

describe('the project is tidy', () => {
  it('because the rules look at all of it', () => {
    expect(files.some((file) => file.path === 'src/core/dispatch/job.ts')).toBe(true)
    expect(files.some((file) => file.path === 'package-lock.json')).toBe(true)
  })

  for (const rule of TIDY_RULES) {
    it(`because ${rule.title}`, () => {
      expect(files.filter((file) => rule.applies.test(file.path)).flatMap((file) => rule.offends(file))).toEqual([])
    })

    it(`and would be told if it were not so that ${rule.title}`, () => {
      expect(rule.applies.test(rule.bad.path)).toBe(true)
      expect(rule.offends(fileOf(rule.bad))).not.toEqual([])
      expect(rule.applies.test(rule.good.path) ? rule.offends(fileOf(rule.good)) : []).toEqual([])
    })
  }
})

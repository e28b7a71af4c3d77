import { describe, expect, it } from 'vitest'

import { TIDY_RULES } from '#test/tidy/rules.ts'
import { sourceFiles } from '#test/tidy/source-files.ts'

const files = sourceFiles(/.*/).filter(
  (file) => !file.path.startsWith('test/bundles/') && file.path !== 'test/tidy/rules.ts',
)

const toFile = ({ path, text }: { readonly path: string; readonly text: string }) => ({
  path,
  text,
  lines: text.split('\n'),
})

describe('the project', () => {
  it('is covered by the rules', () => {
    expect(files.some((file) => file.path === 'src/core/dispatch/job.ts')).toBe(true)
    expect(files.some((file) => file.path === 'package-lock.json')).toBe(true)
  })

  for (const rule of TIDY_RULES) {
    it(`follows: ${rule.title}`, () => {
      expect(files.filter((file) => rule.applies.test(file.path)).flatMap((file) => rule.offends(file))).toEqual([])
    })

    it(`fails a violation of: ${rule.title}`, () => {
      expect(rule.applies.test(rule.bad.path)).toBe(true)
      expect(rule.offends(toFile(rule.bad))).not.toEqual([])
      expect(rule.applies.test(rule.good.path) ? rule.offends(toFile(rule.good)) : []).toEqual([])
    })
  }
})

import { expect, it } from 'vitest'
import type { BlindCode } from '#/core/basics/observed.ts'
import { howToSee } from './how-to-see.ts'

it.each<readonly [string, BlindCode | null, RegExp]>([
  ['github/runners', null, /give a GitHub credential/],
  ['github/runners', 'not-asked', /give a GitHub credential/],
  ['github/runners', 'forbidden', /may not read this: .*Self-hosted runners \(read\)/],
  ['github/runners', 'truncated', /ask again: .* fewer rows than GitHub counted/],
  ['github/runners', 'rate-limited', /wait until GitHub answers again/],
  ['kubernetes/pods', 'forbidden', /grant list on pods/],
  ['kubernetes/pods', 'truncated', /ask again: .* fewer rows than the API server counted/],
  ['fleet/file', 'truncated', /signalbox fleet init/],
])('%s that is blind as %s is seen so', (source, code, advice) => {
  expect(howToSee(source, code)).toMatch(advice)
})

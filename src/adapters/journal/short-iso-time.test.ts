import fc from 'fast-check'
import { expect, it } from 'vitest'
import { draws } from '#test/tiers/long-run.ts'
import { createTimeReader, parseTime } from './short-iso-time.ts'

it('reads one time after the other as each would be read alone', () => {
  const time = fc
    .tuple(
      fc.constantFrom('2026-11-15T20:38:', '2026-11-15T24:00:', '1969-12-31T23:59:', '2026-13-01T00:00:'),
      fc.constantFrom('00', '01', '59', '60', '6', ''),
      fc.oneof(
        fc.constant(''),
        fc.tuple(fc.constantFrom('.', ','), fc.stringMatching(/^\d{0,11}$/)).map((parts) => parts.join('')),
      ),
      fc.constantFrom('Z ', '+0000 ', '+02:00 ', '-0530 ', '-05:30', '+00 ', ' '),
    )
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.array(time, { minLength: 2, maxLength: 6 }), (times) => {
      const read = createTimeReader()
      for (const printed of times) expect(read(Buffer.from(`#${printed}n k`), 1)).toEqual(parseTime(`${printed}n k`))
    }),
    { numRuns: draws(5000) },
  )
})

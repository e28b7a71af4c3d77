import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

import { LONGEST_LINE, clueFinder } from '#/core/evidence/find-clues.ts'
import type { Pattern } from '#/core/evidence/signature.ts'
import { SIGNATURES } from '#/signatures/index.ts'

const LONGEST_CPU_MS = 150
const find = clueFinder(SIGNATURES)

const patterns = SIGNATURES.flatMap(({ id, patterns }) =>
  patterns.map((pattern): readonly [string, Pattern] => [id, pattern]),
)

describe('the signatures', () => {
  it('are all listed, once, each under the name of its file', () => {
    const files = readdirSync(import.meta.dirname, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/^index|\.test\.ts$/.test(entry.name))
      .map((entry) => path.basename(entry.name, '.ts'))
    expect(SIGNATURES.map(({ id }) => id).sort()).toEqual(files.sort())
  })

  for (const { id, patterns: own } of SIGNATURES) {
    it(`"${id}" matches each of its examples, and none that it rejects`, () => {
      for (const { streams, reasons, regex, examples } of own) {
        expect(examples.matches.length).toBeGreaterThan(0)
        expect(examples.rejects.length).toBeGreaterThan(0)
        for (const text of examples.rejects) expect([text, regex.test(text)]).toEqual([text, false])
        for (const stream of streams) {
          const reason = reasons?.[0] === undefined ? {} : { reason: reasons[0] }
          for (const text of examples.matches) {
            expect(find({ text, stream, ...reason }).map((clue) => clue.signature)).toContain(id)
          }
        }
      }
    })
  }

  it('need one of their literals: without it their own example does not match', () => {
    for (const [id, { regex, literals, examples }] of patterns) {
      for (const example of examples.matches) {
        const without = literals.reduce((text, literal) => withoutLiteral(text, literal), example)
        expect([id, without, regex.test(without)]).toEqual([id, without, false])
      }
    }
  })

  it('have literals long enough to be rare', () => {
    for (const [id, { literals }] of patterns) {
      for (const literal of literals)
        expect([id, literal.length]).toSatisfy(([, length]: [string, number]) => length >= 5)
    }
  })

  it('stay cheap on the longest line, whatever it holds', () => {
    for (const [id, { regex, literals, examples }] of patterns) {
      const bait = [
        ...literals,
        ...examples.matches,
        ...examples.matches.map((line) => line.slice(0, -1)),
        ' ',
        'a',
        '"a" ',
        ',0',
      ]
      for (const part of bait) {
        const line = `${literals[0]}${part.repeat(Math.ceil(LONGEST_LINE / part.length))}`.slice(0, LONGEST_LINE)
        const before = process.cpuUsage()
        regex.test(line)
        const { user, system } = process.cpuUsage(before)
        expect([id, part, (user + system) / 1000]).toSatisfy(
          ([, , ms]: [string, string, number]) => ms < LONGEST_CPU_MS,
        )
      }
    }
  })

  it('keep no state between lines', () => {
    for (const [id, { regex }] of patterns) expect([id, regex.global || regex.sticky]).toEqual([id, false])
  })
})

function withoutLiteral(text: string, literal: string): string {
  const at = text.toLowerCase().indexOf(literal.toLowerCase())
  return at === -1 ? text : withoutLiteral(text.slice(0, at) + text.slice(at + literal.length), literal)
}

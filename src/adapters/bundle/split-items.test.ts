import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draws } from '#test/tiers/long-run.ts'
import { ItemSplitter } from './split-items.ts'

type Split = { readonly items: readonly unknown[]; readonly rest: unknown }

/** In chunks of this many bytes. */
function split(text: string, chunk: number, batch = 64): Split {
  const items: unknown[] = []
  const splitter = new ItemSplitter((some) => items.push(...some), batch)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += chunk) splitter.push(bytes.subarray(at, at + chunk))
  const rest = splitter.end()
  return { items, rest: rest.kind === 'parsed' ? rest.value : rest.why }
}

const PRINTED: readonly (readonly [string, (list: object) => string])[] = [
  ['on one line', (list) => JSON.stringify(list)],
  ['as kubectl prints it', (list) => `${JSON.stringify(list, null, 4)}\n`],
  ['with a byte order mark', (list) => `\uFEFF${JSON.stringify(list, null, 2)}`],
  ['with tabs', (list) => JSON.stringify(list, null, '\t')],
  ['with the line ends of Windows', (list) => JSON.stringify(list, null, 2).replaceAll('\n', '\r\n')],
  ['with every item on a line', (list) => JSON.stringify(list).replaceAll(/(?<=[[,])(?=\{"metadata")/g, '\n  ')],
]

describe('a list that is split', () => {
  it.each(PRINTED)('gives its items and the rest, %s, wherever the chunks end', (_how, print) => {
    const item = fc.record({
      metadata: fc.record({ name: fc.string({ unit: 'binary' }) }),
      more: fc.jsonValue(),
    })
    const list = fc.record({
      apiVersion: fc.constant('v1'),
      metadata: fc.record({ continue: fc.string(), items: fc.jsonValue() }),
      items: fc.array(item, { maxLength: 12 }),
      kind: fc.constant('List'),
    })
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 500 }), (given, chunk, batch) => {
        const plain = JSON.parse(JSON.stringify(given)) as typeof given
        const result = split(print(given), chunk, batch)
        expect(result).toEqual({ items: plain.items, rest: { ...plain, items: [] } })
      }),
      { numRuns: draws(300) },
    )
  })

  it.each([
    ['', 'it has no items'],
    ['{"kind":"List"}', 'it has no items'],
    ['{"items":null}', 'it has no items'],
    ['{"nested":{"items":[{"a":1}]}}', 'it has no items'],
    ['{"items":[', 'it ends in the middle of its items'],
    ['{"items":[{"a":1}', 'it ends in the middle of its items'],
    ['{"items":[{"a":1},', 'it ends in the middle of its items'],
    ['{"items":[{"a":1},{"b":', 'it ends in the middle of its items'],
    ['{"items":[{"a":1}{"b":2}]}', /JSON/],
    ['{"items":[{"a":1},,{"b":2}]}', /JSON/],
    ['{"items":[,{"a":1}]}', /JSON/],
    ['{"items":[{"a":1]}', /JSON|middle/],
    ['{"items":[{a:1}]}', /JSON/],
    ['{"items":[{"a":1}],', /JSON/],
    ['{"items":[{"a":1}]}}', /JSON/],
  ])('is refused as %j', (text, why) => {
    for (const chunk of [1, 7, 1000]) expect(split(text, chunk).rest).toEqual(expect.stringMatching(why))
  })

  it('takes items that are printed so that a line within them looks like their last', () => {
    const odd = '{"items": [\n  {"a": {\n  },\n  "b": 1},\n  {"c": [{\n  }]}\n]}'
    for (const chunk of [1, 5, 1000]) {
      expect(split(odd, chunk)).toEqual({ items: [{ a: {}, b: 1 }, { c: [{}] }], rest: { items: [] } })
    }
  })

  it('does not take a line behind the items for one of them', () => {
    const text = JSON.stringify({ items: [{ a: 1 }], metadata: { b: { c: 1 } } }, null, 4)
    for (const chunk of [3, 1000]) {
      expect(split(text, chunk)).toEqual({ items: [{ a: 1 }], rest: { items: [], metadata: { b: { c: 1 } } } })
    }
  })

  it('is refused where megabytes stand behind its items, or before them', () => {
    const many = ' '.repeat(3_000_000)
    expect(split(`{"items":[{"a":1}],"x":"${many}"}`, 65_536).rest).toBe('too much stands behind its items')
    expect(split(`{"x":"${many}","items":[{"a":1}]}`, 65_536).rest).toBe('it has no items')
  })

  it('reads an item of many megabytes, and ten megabytes of blanks, without looking at them over and over', () => {
    const text = `{"items":[{"a":"${'x'.repeat(8_000_000)}"},${' '.repeat(10_000_000)}{"b":1}]}`
    const started = process.cpuUsage()
    const { items } = split(text, 4096, 65_536)
    const { user } = process.cpuUsage(started)
    expect(items).toHaveLength(2)
    expect(user / 1000).toBeLessThan(3000)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coloured } from '#/cli/output/style.ts'
import { markdownTable, renderTable } from '#/cli/output/table.ts'
import { padEnd, textWidth } from '#/cli/output/text-width.ts'

describe('renderTable', () => {
  it('aligns columns as kubectl does', () => {
    const text = renderTable({
      columns: ['name', 'age'],
      rows: [
        ['runner-1', 3],
        ['x', null],
      ],
    })
    expect(text).toBe('NAME       AGE\nrunner-1   3\nx          <none>\n')
  })

  it('aligns wide characters, combining marks and emoji', () => {
    const text = renderTable({
      columns: ['name', 'end'],
      rows: [
        ['日本', 'x'],
        ['e\u0301a', 'x'],
        ['🚦', 'x'],
        ['👩‍👩‍👧', 'x'],
      ],
    })
    const columns = text
      .trimEnd()
      .split('\n')
      .map((line) => textWidth(line.slice(0, line.lastIndexOf('x') === -1 ? 7 : line.lastIndexOf('x'))))
    expect(columns).toEqual([7, 7, 7, 7, 7])
  })

  it('removes control characters from cells', () => {
    const text = renderTable({ columns: ['a'], rows: [['\u001B[2Jgone\r\nnext'], ['\u202Eevil'], ['\u0007\u009B']] })
    expect(text).toBe('A\n\\u001b[2Jgone next\n\\u202eevil\n\\u0007\\u009b\n')
  })

  it('colours the text and not the space behind it', () => {
    const text = renderTable({ columns: ['s', 'x'], rows: [[{ text: 'ok', tone: 'green' }, 1]] }, coloured)
    expect(text.split('\n')[1]).toBe('\u001B[32mok\u001B[39m   1')
  })

  it('has as many lines as rows, whatever they contain', () => {
    const cell = fc.oneof(fc.string(), fc.integer(), fc.constant(null))
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), (rows) => {
        expect(renderTable({ columns: ['a', 'b'], rows }).split('\n')).toHaveLength(rows.length + 2)
      }),
    )
  })
})

describe('markdownTable', () => {
  it('escapes markdown', () => {
    expect(markdownTable({ columns: ['a'], rows: [['x|y'], ['<b>'], ['\\']] })).toBe(
      '| a |\n| --- |\n| x\\|y |\n| &lt;b> |\n| \\\\ |\n',
    )
  })
})

describe('textWidth', () => {
  it.each([
    ['', 0],
    ['pod', 3],
    ['日本', 4],
    ['ｆｕｌｌ', 8],
    ['한', 2],
    ['e\u0301', 1],
    ['a\u200B', 1],
    ['é', 1],
    ['🚦', 2],
    ['👩‍👩‍👧', 2],
    ['✓', 1],
  ])('of %j is %d', (text, width) => {
    expect(textWidth(text)).toBe(width)
  })
})

describe('padEnd', () => {
  it('pads any text to the given width', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 10 }), (text) => {
        expect(textWidth(padEnd(text, 40))).toBe(40)
      }),
    )
  })
})

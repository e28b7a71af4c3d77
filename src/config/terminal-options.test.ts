import { describe, expect, it } from 'vitest'
import { readTerminalOptions } from './load.ts'

describe('terminalWishes', () => {
  it.each<[Record<string, string>, boolean, boolean]>([
    [{}, true, false],
    [{ NO_COLOR: '' }, true, false],
    [{ NO_COLOR: '1' }, false, false],
    [{ TERM: 'dumb' }, false, true],
  ])('%j allows colours: %s', (variables, colour, dumb) => {
    expect(readTerminalOptions(variables)).toEqual({ colour, dumb })
  })
})

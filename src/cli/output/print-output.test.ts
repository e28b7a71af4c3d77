import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { OutputFormat } from './print-output.ts'
import { printOutput } from './print-output.ts'
import { openTerminal } from './terminal.ts'

async function shown(format: OutputFormat): Promise<string> {
  let out = ''
  const sink = { write: (text: string) => (out += text) }
  const terminal = openTerminal({
    stdout: sink,
    stderr: sink,
    colour: false,
    dumb: false,
    quiet: false,
    verbose: false,
  })
  await printOutput(terminal, format, {
    data: { pods: [{ name: 'a', age: null }] },
    sections: [{ table: { columns: ['name'], rows: [['a']] } }, { title: 'More', text: 'text' }],
  })
  return out
}

describe('present', () => {
  it('gives programs the version of the output first', async () => {
    const document = { schemaVersion: 1, pods: [{ name: 'a', age: null }] }
    expect(JSON.parse(await shown('json'))).toEqual(document)
    expect(parse(await shown('yaml'))).toEqual(document)
    expect((await shown('yaml')).startsWith('schemaVersion: 1\n')).toBe(true)
  })

  it('gives people sections', async () => {
    expect(await shown('table')).toBe('NAME\na\n\nMore\ntext\n')
    expect(await shown('markdown')).toBe('| name |\n| --- |\n| a |\n\n## More\n\ntext\n')
  })
})

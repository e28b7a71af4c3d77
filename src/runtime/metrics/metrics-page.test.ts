import { readFileSync, globSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMetrics } from './metrics.ts'
import { agentMetrics } from '#/server/agents/agent-metrics.ts'
import { parseExposition, Unconventional } from '#test/server/exposition.ts'

const repository = resolve(import.meta.dirname, '..', '..', '..')
const sources = globSync('src/**/*.ts', { cwd: repository })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(resolve(repository, file), 'utf8') }))

const REGISTERED = /metrics\s*\.(counter|gauge|histogram)\(\s*'(signalbox_\w+)',\s*(?:'([^']+)'|"([^"]+)")/g
const REGISTERING = /\bmetrics\s*\.(?:counter|gauge|histogram)\(/g

/** Everything that the program registers: by its name in the source, or by the one function that puts names together. */
function registry() {
  const metrics = createMetrics()
  agentMetrics(metrics)
  for (const { text } of sources) {
    for (const [, type = '', name = '', single, double] of text.matchAll(REGISTERED)) {
      const help = single ?? double ?? ''
      if (type === 'counter') metrics.counter(name, help)
      else if (type === 'gauge') metrics.gauge(name, help)
      else metrics.histogram(name, help, [1])
    }
  }
  return parseExposition(metrics.expose())
}

describe('the metrics of the program', () => {
  it('are all named as Prometheus wants it', () => {
    expect(registry().size).toBeGreaterThan(10)
  })

  it('are registered by their names, so that this test sees them', () => {
    const hidden = sources
      .filter(({ text }) => [...text.matchAll(REGISTERING)].length > [...text.matchAll(REGISTERED)].length)
      .map(({ file }) => file)
    expect(hidden).toEqual(['src/server/agents/agent-metrics.ts'])
  })

  it('are all in docs/metrics.md', async () => {
    const page = resolve(repository, 'docs/metrics.md')
    const [before = '', after = ''] = readFileSync(page, 'utf8').split(
      /(?<=<!-- metrics: [^\n]*\n)[\s\S]*(?=<!-- metrics end)/,
    )
    expect(after).toContain('<!-- metrics end')
    const rows = [...registry()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { type, help }]) => `| \`${name}\` | ${type} | ${help} |\n`)
    const table = `| metric | type | what it is |\n| --- | --- | --- |\n${rows.join('')}`
    await expect(`${before}\n${table}\n${after}`).toMatchFileSnapshot(page)
  })

  it.each([
    ['a counter without its ending', '# HELP signalbox_x X.\n# TYPE signalbox_x counter\nsignalbox_x 1\n'],
    ['a series that is there twice', '# HELP signalbox_x X.\n# TYPE signalbox_x gauge\nsignalbox_x 1\nsignalbox_x 2\n'],
    ['a series without a type', 'signalbox_x 1\n'],
    ['a unit that is no base unit', '# HELP signalbox_x_ms X.\n# TYPE signalbox_x_ms gauge\n'],
    ['labels that are not closed', '# HELP signalbox_x X.\n# TYPE signalbox_x gauge\nsignalbox_x{a="1} 1\n'],
    ['a last line without an end', '# HELP signalbox_x X.'],
  ])('are held to a check that refuses %s', (_, text) => {
    expect(() => parseExposition(text)).toThrow(Unconventional)
  })
})

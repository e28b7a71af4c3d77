import { describe, expect, it } from 'vitest'

import { createMetrics } from './metrics.ts'

describe('the metrics', () => {
  it('are exposed as Prometheus reads them, with help and type', () => {
    const metrics = createMetrics()
    metrics.counter('deaths_total', 'Deaths').add(2, { pool: 'linux', cause: 'oom-container' })
    metrics.gauge('leader', 'Whether this replica leads').set(0)
    expect(metrics.expose()).toBe(
      [
        '# HELP deaths_total Deaths',
        '# TYPE deaths_total counter',
        'deaths_total{cause="oom-container",pool="linux"} 2',
        '# HELP leader Whether this replica leads',
        '# TYPE leader gauge',
        'leader 0',
        '',
      ].join('\n'),
    )
  })

  it('add up under the same labels in any order', () => {
    const metrics = createMetrics()
    metrics.counter('x_total', 'x').add(1, { a: '1', b: '2' })
    metrics.counter('x_total', 'x').add(1, { b: '2', a: '1' })
    expect(metrics.expose()).toContain('x_total{a="1",b="2"} 2\n')
  })

  it('drop a series when what it counts is gone', () => {
    const metrics = createMetrics()
    const gauge = metrics.gauge('slots', 'Slots')
    gauge.set(3, { pool: 'linux' })
    gauge.forget({ pool: 'linux' })
    expect(metrics.expose()).not.toContain('linux')
  })

  it('escape what a label may hold', () => {
    const metrics = createMetrics()
    metrics.gauge('x', 'x').set(1, { name: 'a"b\\c\nd' })
    expect(metrics.expose()).toContain(String.raw`x{name="a\"b\\c\nd"} 1`)
  })

  it('refuse one name for two types', () => {
    const metrics = createMetrics()
    metrics.gauge('x', 'x')
    expect(() => metrics.counter('x', 'x')).toThrow('already')
  })
})

import { describe, expect, it } from 'vitest'
import { plain } from '#/cli/output/style.ts'
import { blindFinding } from '#/core/audit/finding.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { SourceReport } from '#/core/audit/run-audit.ts'
import { measureCpuMs } from '#test/core/cpu-time.ts'
import { reportSection } from './report-section.ts'

const finding = (name: string, changes: Partial<Finding> = {}): Finding => ({
  class: 'disk-pressure',
  severity: 'critical',
  subject: { kind: 'Node', name },
  evidence: [`${name} is full`],
  hint: `drain node/${name}`,
  ...changes,
})

function shown(findings: readonly Finding[], isFull = false, sources: readonly SourceReport[] = []): string {
  return reportSection({ id: 'x', sources, findings, isBlind: false }, isFull).styled?.(plain) ?? ''
}

function inMarkdown(findings: readonly Finding[]): string {
  const { markdown } = reportSection({ id: 'x', sources: [], findings, isBlind: false }, false)
  return typeof markdown === 'function' ? markdown() : ''
}

const CHAIN = `failed to create a pod sandbox: ${'rpc error: '.repeat(60)}connection is unauthorized`

describe('the findings of an audit, for people', () => {
  it('are one block per class, with one hint for those that differ in names only', () => {
    expect(shown([finding('n1'), finding('n2')])).toBe(
      [
        'critical  disk-pressure  2',
        '  Node n1',
        '    n1 is full',
        '  Node n2',
        '    n2 is full',
        '  what to do: drain node/n1; likewise for the other (-v)',
        '',
      ].join('\n'),
    )
    expect(shown([finding('n1'), finding('n2')], true)).toContain('  what to do for Node n2: drain node/n2\n')
  })

  it('keep hints that say different things, and print the same hint once', () => {
    const text = shown([
      finding('n1'),
      finding('n2', { hint: 'do not drain node/n2: its job is alive' }),
      finding('n3', { class: 'eviction-imminent', severity: 'warning', hint: 'drain node/n1' }),
    ])
    expect(text).toContain('  what to do for Node n1: drain node/n1\n  what to do for Node n2: do not drain')
    expect(text).toContain(
      'warning  eviction-imminent\n  Node n3\n    n3 is full\n  what to do: the same as for disk-pressure\n',
    )
  })

  it('have evidence that ends with its point, and all of it with -v and in Markdown', () => {
    const many = finding('n1', { evidence: [CHAIN, ...Array.from({ length: 9 }, (_, index) => `fact ${index}`)] })
    expect(shown([many])).toMatch(/failed to create a pod sandbox:.* … .*connection is unauthorized\n/)
    expect(shown([many])).toContain('    and 5 more (-v)\n')
    expect(shown([many], true)).toContain(CHAIN)
    expect(shown([many], true)).toContain('fact 8')
    expect(inMarkdown([many])).toContain(CHAIN)
  })

  it('have holders, consumers and gates', () => {
    const holder = {
      repository: 'a/web',
      workflow: 'a/web/.github/workflows/e2e.yml@refs/heads/main',
      runner: 'r1',
      since: '2026-10-06T08:46:05Z',
    }
    const fields = { holders: [holder], consumers: [{ namespace: 'ci', pods: 12 }] }
    const gates = [
      { gate: 'identity', holds: true, why: 'the same UID' },
      { gate: 'github-not-busy', holds: false, why: 'GitHub lists it as busy' },
    ]
    const text = shown([finding('n1', { fields, gates }), finding('n2', { fields, class: 'other' })])
    expect(text).toContain('    held by a/web, workflow e2e.yml, on r1, since 2026-10-06T08:46:05Z\n')
    expect(text).toContain('    used by ci: 12 pods\n')
    expect(text).toContain('    gates: 1 of 2 hold; refused by github-not-busy\n')
    const open = [...gates, { gate: 'evidence-stored', holds: false, why: 'nothing is stored' }]
    expect(shown([finding('n1', { gates: open })])).toContain(
      '    gates: 1 of 3 hold; refused by github-not-busy; open until the act: evidence-stored\n',
    )
    expect(text.split('held by')).toHaveLength(2)
    expect(shown([finding('n1', { gates })], true)).toContain('gate github-not-busy refuses: GitHub lists it as busy')
  })

  it('are in one line if they are only worth knowing, and limited if they are many', () => {
    const infos = [finding('n1', { severity: 'info' }), finding('n2', { severity: 'info' })]
    expect(shown(infos)).toBe('info  disk-pressure  Node n1 and 1 more: n1 is full\n')
    const lines = shown(Array.from({ length: 500 }, (_, index) => finding(`n${index}`))).split('\n')
    expect(lines).toContain('  and 477 more (-v)')
    expect(lines.length).toBeLessThan(40)
  })

  it('are printed in bounded time, however many and different they are', () => {
    const words = ['red', 'green', 'blue', 'black', 'white']
    const many = Array.from({ length: 20_000 }, (_, index) => {
      const hint = Array.from({ length: 8 }, (_none, place) => words[Math.floor(index / 5 ** place) % 5]).join(' ')
      return finding(`n${index}`, { hint })
    })
    expect(measureCpuMs(() => shown(many))).toBeLessThan(5_000)
    expect(shown(many).split('\n').length).toBeLessThan(60)
  })

  it('do not repeat what the table of unseen sources says', () => {
    const source = { name: 'kubernetes/nodes', ok: false }
    expect(shown([blindFinding('kubernetes/nodes', '403')], false, [source])).toContain('see "Not looked at" below')
    expect(shown([blindFinding('registry/x', 'no order')])).not.toContain('Not looked at')
  })

  it('contain no secret, and nothing that controls a terminal', () => {
    const token = `ghp_${'a1B2c3D4'.repeat(5)}`
    const text = shown([finding('n1', { evidence: [`Authorization: Bearer ${token} \u001B[2J`] })], true)
    expect(text).not.toContain(token)
    expect(text).not.toContain('\u001B')
  })
})

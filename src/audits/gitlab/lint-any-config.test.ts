import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draws } from '#test/tiers/long-run.ts'
import { lintGitLabConfig } from './lint-config.ts'

describe('lintGitLabConfig', () => {
  it('never throws, and every finding has a position', () => {
    const line = fc.constantFrom(
      '[[runners]]',
      '[runners]',
      '[runners.kubernetes]',
      '[[runners.kubernetes]]',
      '[runners.kubernetes.limits]',
      '[[runners.kubernetes.pod_spec]]',
      '[runners.kubernetes.pod_spec]',
      'containers = [{}]',
      'patch_type = "merge"',
      'patch = "{"',
      'cpu = "1"',
      'cpu_limit = 1',
      'environment = ["A"]',
      'kubernetes = 1',
      'runners = [1]',
      '"" = {}',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
        for (const { subject, hint, evidence } of lintGitLabConfig(lines.join('\n'), 'f')) {
          expect(subject.line).toBeGreaterThan(0)
          expect(subject.line).toBeLessThanOrEqual(lines.length)
          expect([hint, ...evidence].every((text) => text !== '')).toBe(true)
        }
      }),
      { numRuns: draws(1000) },
    )
  })

  it('checks a file with many keys quickly', () => {
    const keys = Array.from({ length: 40_000 }, (_, index) => `k${index} = "v"`).join('\n')
    const before = process.cpuUsage()
    const findings = lintGitLabConfig(`[[runners]]\n[runners.kubernetes]\n${keys}`, 'f')
    expect(findings.length).toBe(1_000)
    expect(findings.at(-1)?.evidence).toContain('39000 more findings follow and are not listed')
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(10)
  })
})

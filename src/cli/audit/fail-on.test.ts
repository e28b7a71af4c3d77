import { describe, expect, it } from 'vitest'
import { blindFinding } from '#/core/audit/finding.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { AuditReport } from '#/core/audit/run-audit.ts'
import { auditExit, parseFailOn } from './fail-on.ts'

const finding = (name: string, severity: Finding['severity']): Finding => ({
  class: name,
  severity,
  subject: { kind: 'Node', name: 'n' },
  evidence: [],
  hint: '',
})
const report = (findings: readonly Finding[], isBlind = false): AuditReport => ({
  id: 'x',
  sources: [],
  findings,
  isBlind,
})
const blindSource = blindFinding('kubernetes/nodes', '403')
const CLASSES = new Set(['disk-pressure', 'blind'])
const rules = (...words: readonly string[]) => words.flatMap((word) => parseFailOn(word, CLASSES) ?? [])

describe('the exit code of an audit', () => {
  it.each([
    ['nothing found', [], false, 0],
    ['only worth knowing', [finding('a', 'info')], false, 0],
    ['a warning', [finding('a', 'warning')], false, 1],
    ['a warning, and blind', [finding('a', 'warning'), blindSource], true, 1],
    ['blind alone', [blindSource], true, 3],
    ['blind, and worth knowing', [finding('a', 'info'), blindSource], true, 3],
  ] as const)('for %s follows docs/contracts/findings.md', (_title, findings, isBlind, code) => {
    expect(auditExit([report(findings, isBlind)], [])).toBe(code)
  })

  it.each([
    ['critical', 'warning', 0],
    ['critical', 'critical', 1],
    ['warning', 'critical', 1],
    ['info', 'info', 1],
  ] as const)('with --fail-on %s is for a %s finding %i', (floor, severity, code) => {
    expect(auditExit([report([finding('a', severity)])], rules(floor))).toBe(code)
  })

  it('is 1 for a given class of any severity, and for no other', () => {
    expect(auditExit([report([finding('disk-pressure', 'info')])], rules('disk-pressure'))).toBe(1)
    expect(auditExit([report([finding('other', 'critical')])], rules('disk-pressure'))).toBe(0)
  })

  it('stays 3 when blind, unless --fail-on blind is given', () => {
    expect(auditExit([report([blindSource], true)], rules('warning'))).toBe(3)
    expect(auditExit([report([blindSource], true)], rules('blind'))).toBe(1)
  })

  it('is that of the worst report', () => {
    expect(auditExit([report([]), report([finding('a', 'critical')]), report([], true)], [])).toBe(1)
  })

  it('refuses what is neither a severity nor a class', () => {
    expect(parseFailOn('disk', CLASSES)).toBeNull()
  })
})

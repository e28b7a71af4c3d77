import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { GATES } from '#/gates/index.ts'
import { ACT_GATES } from '#/core/interlock/act.ts'
import type { CandidateSnapshot } from '#/core/interlock/candidate-snapshot.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { GATE_IDS, describeResult } from '#/core/interlock/gate.ts'
import type { GateExample } from '#/core/interlock/gate.ts'

const contract = readFileSync(
  path.resolve(import.meta.dirname, '..', '..', 'docs', 'contracts', 'findings.md'),
  'utf8',
).split('## The gates')[1]

/** The rows of the contract's table of gates. */
const ROWS = [...(contract ?? '').matchAll(/^\| `(?<id>[a-z-]+)` \| (?<proof>.+) \|$/gm)].map(({ groups }) => ({
  id: groups?.['id'],
  proof: groups?.['proof'],
}))

const withChanges = ({ candidate }: GateExample): CandidateSnapshot => ({ ...EXAMPLE_CANDIDATE, ...candidate })

describe('the gates', () => {
  it('are those of the contract, in its order, with its proofs', () => {
    expect(ROWS.length).toBe(12)
    expect(GATES.map(({ id, proof }) => ({ id, proof }))).toEqual(ROWS)
    expect(GATES.map(({ id }) => id)).toEqual(GATE_IDS)
  })

  it('are each in a file with their id as name', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => !/^index\.ts$|\.test\.ts$/.test(name))
    expect(files.map((name) => path.basename(name, '.ts')).toSorted()).toEqual([...GATE_IDS].toSorted())
  })

  it('are required by each act as the contract says', () => {
    const allButOne = GATE_IDS.filter((id) => id !== 'never-started')
    expect(ACT_GATES['delete-ephemeral-runner']).toEqual(allButOne)
    expect(ACT_GATES['scale-ephemeral-runner-set']).toEqual(allButOne)
    const [, pods = ''] = /^\| delete an own pod that was stamped and never ran \| (.+) \| /m.exec(contract ?? '') ?? []
    expect(ACT_GATES['delete-pod'].map((id) => `\`${id}\``).join(', ')).toBe(pods)
  })

  it('that are steps of the act itself are exactly these', () => {
    expect(GATES.filter(({ isStep }) => isStep === true).map(({ id }) => id)).toEqual([
      'github-deregistered',
      'evidence-stored',
    ])
  })
})

describe.each(GATES.map((gate) => [gate.id, gate] as const))('%s', (_id, gate) => {
  const examples = (['holds', 'refuses', 'blind'] as const).flatMap((kind) =>
    gate.examples[kind].map((example) => [kind, example.when, example] as const),
  )

  it.each(examples)('%s where %s', (kind, _when, example) => {
    const result = gate.check(withChanges(example))
    expect(result.kind).toBe(kind)
    expect(describeResult(result)).toMatch(/^\S.*\S$/s)
    expect(describeResult(result)).not.toMatch(/undefined|null|NaN|\{/)
    expect(Number.isFinite(result.at)).toBe(true)
  })

  it('has examples of each result, and says how it decides and what lets it see', () => {
    expect(Object.values(gate.examples).every((own) => own.length > 0)).toBe(true)
    expect(gate.about).toMatch(/^[A-Z].{40,}\.$/s)
    expect(gate.toSeeIt).toMatch(/^[a-z].{5,}[^.]$/s)
  })

  it('judges by the snapshot alone, the same each time', () => {
    for (const [, , example] of examples) {
      const candidate = withChanges(example)
      const before = JSON.stringify(candidate)
      expect(gate.check(candidate)).toEqual(gate.check(candidate))
      expect(JSON.stringify(candidate)).toBe(before)
    }
  })
})

import { printable } from '#/cli/output/printable.ts'
import { markdownCell } from '#/cli/output/table.ts'
import { ACT_GATES } from '#/core/interlock/act.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { describeResult } from '#/core/interlock/gate.ts'
import type { Gate, GateId, GateResult } from '#/core/interlock/gate.ts'
import type { Policy } from '#/core/interlock/policy.ts'

const GENERATED =
  '<!-- Generated from src/gates and src/core/interlock; regenerate with: npx vitest run src/cli/pages/gate-pages.test.ts -u -->\n'

const RESULTS: readonly (readonly [GateResult['kind'], string])[] = [
  ['holds', 'holds'],
  ['refuses', 'refuses'],
  ['blind', 'blind'],
]

/** docs/gates/README.md */
export function gateIndex(gates: readonly Gate[], policies: readonly Policy[]): string {
  return [
    '# Gates\n',
    GENERATED,
    'A gate is a condition with a proof that an act needs before it removes something. It holds with its proof, refuses with a reason, or is blind, which refuses too. They are checked in this order, and the first that refuses is named. How `reap` shows them: [reap](../reap.md).\n',
    `| gate | proof |\n| --- | --- |\n${gates
      .map(
        ({ id, proof, isStep }) => `| [${id}](${id}.md) | ${proof}${isStep === true ? ' (made by the act)' : ''} |\n`,
      )
      .join('')}`,
    '## Acts\n',
    'What each act requires.\n',
    `| act | gates |\n| --- | --- |\n${Object.entries(ACT_GATES)
      .map(([act, required]) => `| \`${act}\` | ${describeRequired(gates, required)} |\n`)
      .join('')}`,
    '## Policies\n',
    'What each policy of `signalbox reap` proposes. Whether a candidate may be removed is decided by the gates alone.\n',
    `| policy | removes | GitHub must say | needs |\n| --- | --- | --- | --- |\n${policies
      .map(
        ({ id, removes, github, needs }) =>
          `| \`${id}\` | ${removes} | ${GITHUB[github]} | ${needs.map((source) => `\`${source}\``).join(', ')} |\n`,
      )
      .join('')}`,
    ...policies.map(({ id, about }) => `**${id}.** ${about}\n`),
  ].join('\n')
}

const GITHUB = { gone: 'offline and not busy, or absent', 'not-busy': 'not busy' } as const

function describeRequired(gates: readonly Gate[], required: readonly GateId[]): string {
  const missing = gates.filter(({ id }) => !required.includes(id)).map(({ id }) => `\`${id}\``)
  return missing.length === 1 ? `all but ${missing.join('')}` : required.map((id) => `\`${id}\``).join(', ')
}

/** docs/gates/<id>.md */
export function gatePage(gate: Gate): string {
  return [
    `# ${gate.id}\n`,
    GENERATED,
    `Proof: ${gate.proof}. [All gates](README.md).\n`,
    '## How it decides\n',
    `${gate.about}\n`,
    '## Examples\n',
    `| result | where | why |\n| --- | --- | --- |\n${RESULTS.flatMap(([kind, word]) =>
      gate.examples[kind].map(({ when, candidate }) => {
        const result = gate.check({ ...EXAMPLE_CANDIDATE, ...candidate })
        return `| ${word} | ${when} | ${markdownCell(printable(describeResult(result)))} |\n`
      }),
    ).join('')}`,
    '## When it is blind\n',
    `What lets it see: ${gate.toSeeIt}.\n`,
  ].join('\n')
}

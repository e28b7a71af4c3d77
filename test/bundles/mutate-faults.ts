import { CAUSES } from '#/causes/index.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { OutputFormat } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { openTerminal } from '#/cli/output/terminal.ts'
import { renderWhy } from '#/cli/why/render-why.ts'
import type { JudgedSubject } from '#/runtime/why/judge-bundle.ts'
import type { ExpectedVerdict } from '#test/bundles/known-bundles.ts'
import type { Outcome } from '#test/bundles/mutate-judge.ts'

const KINDS = new Map([...CAUSES.map(({ id, kind }) => [id, kind] as const), ['unknown', 'unknown'] as const])
const NAMED_ABOVE = 0.5
const SURE_ABOVE = 0.6
/** Characters that move the cursor or change the text direction. A line break is layout. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
const SOURCE = /^(?:kubernetes|logs|journal|cgroup|processes|host|github|gitlab|fleet)(?:\/|$)/

/** Violations of what the contract promises for every answer. */
export async function findFaults(outcome: Outcome): Promise<readonly string[]> {
  if (outcome.kind === 'refused') {
    const said = printable(outcome.why)
    return /^\S.{5,400}$/.test(said) ? [] : [`an unclear message: ${JSON.stringify(said)}`]
  }
  if (outcome.results.length === 0) return ['no result and no refusal']
  return [...outcome.results.flatMap(verdictFaults), ...(await renderingFaults(outcome.results))]
}

function verdictFaults({ verdict, alternatives }: JudgedSubject): readonly string[] {
  const { cause, kind, confidence, missing, sentence, next } = verdict
  const named = [...alternatives.map((other) => other.cause), ...(cause === 'unknown' ? [] : [cause])]
  const checks: readonly (readonly [boolean, string])[] = [
    [KINDS.get(cause) === kind, `cause ${cause} of kind ${kind}`],
    [isShare(confidence), `confidence ${confidence}`],
    [cause === 'unknown' || confidence > NAMED_ABOVE, `${cause} named at ${confidence}`],
    [cause !== 'unknown' || confidence <= NAMED_ABOVE, `unknown at ${confidence}`],
    [alternatives.every((other) => KINDS.has(other.cause) && isShare(other.confidence)), 'an odd alternative'],
    [
      alternatives.every((other, index) => other.confidence <= (alternatives[index - 1]?.confidence ?? 1)),
      'alternatives rise',
    ],
    [new Set(named).size === named.length, `a cause twice: ${named.join(', ')}`],
    [missing.every((source) => SOURCE.test(source)), `missing ${missing.join(', ')}`],
    [/^[A-Z].*\.$/s.test(sentence), `the sentence ${JSON.stringify(sentence.slice(0, 200))}`],
    [next.length > 0, 'nothing to do next'],
  ]
  return checks.flatMap(([isKept, fault]) => (isKept ? [] : [fault]))
}

function isShare(value: number): boolean {
  return value >= 0 && value <= 1
}

async function renderingFaults(results: readonly JudgedSubject[]): Promise<readonly string[]> {
  const [text, json] = [await rendered(results, 'text'), await rendered(results, 'json')]
  const at = text.search(UNPRINTABLE)
  const document = JSON.parse(json) as { readonly schemaVersion: unknown }
  return [
    ...(at < 0
      ? []
      : [`text that a terminal would obey: ${JSON.stringify(text.slice(Math.max(0, at - 60), at + 20))}`]),
    ...(document.schemaVersion === 1 ? [] : ['JSON without its version']),
    ...text
      .split('\n')
      .filter(isSlip)
      .map((line) => `a slip: ${line.slice(0, 200)}`),
  ]
}

/** Words that appear by mistake, such as undefined. The JSON parser prints some of them on purpose. */
function isSlip(line: string): boolean {
  return /\bundefined\b|\bNaN\b|\[object \w+\]|Invalid Date/.test(line) && !line.includes('is not valid JSON')
}

export async function rendered(results: readonly JudgedSubject[], format: OutputFormat): Promise<string> {
  let written = ''
  const sink = { isTTY: false, write: (text: string): boolean => (written += text) !== '' }
  const terminal = openTerminal({ stdout: sink, stderr: sink, colour: false, dumb: true, quiet: true, verbose: false })
  await printOutput(terminal, format, renderWhy(results, 'usual'))
  return written
}

/** Losing evidence must never make another cause certain. */
export function wrongCertainty(outcome: Outcome, expected: ExpectedVerdict): string | null {
  const verdict = outcome.kind === 'judged' ? outcome.results[0]?.verdict : undefined
  if (verdict === undefined || verdict.cause === 'unknown' || verdict.confidence <= SURE_ABOVE) return null
  const isRight = [expected.cause, ...expected.acceptable].includes(verdict.cause)
  return isRight ? null : `${verdict.cause} at ${verdict.confidence}, where it is ${expected.cause}`
}

import { prose, withoutHosts } from '#/cli/output/page-text.ts'
import { printable } from '#/cli/output/printable.ts'
import { renderTable } from '#/cli/output/table.ts'
import { renderWhy } from '#/cli/why/render-why.ts'
import type { Cause, CauseKind } from '#/core/why/cause.ts'
import type { Fact } from '#/core/why/fact.ts'
import type { JudgedSubject } from '#/runtime/why/judge-bundle.ts'

/** `unknown` has a page too, but is not a `Cause`. */
export type DescribedCause = Pick<Cause, 'id' | 'meaning' | 'distinguishedBy' | 'settledBy' | 'isProvenByStatus'> & {
  readonly kind: CauseKind
}

/** A test bundle with its expected verdict, not yet judged. */
export type ExampleBundle = {
  /** From the root of the project. */
  readonly path: string
  readonly isRecorded: boolean
  readonly why: string
  /** The wrong cause that a naive rule would name. */
  readonly trap: string | null
}

export type CauseExample = ExampleBundle & { readonly judgement: JudgedSubject }

export const UNKNOWN: DescribedCause = {
  id: 'unknown',
  kind: 'unknown',
  meaning: 'the evidence names no cause above 0.5',
  distinguishedBy:
    'The sentence names the best guess and what is missing to name it. The confidence is that of the guess.',
  settledBy: [],
}

/** At most this many on a page. */
export const SHOWN_EXAMPLES = 2
const SHOWN_CHARACTERS = 160

const RECORDED = "Recorded on a real node; GitHub and the runner's output are imitated."
const WRITTEN = 'Written by hand, in the format of the real tools.'

const GENERATED =
  '<!-- Generated from src/causes and test/bundles; regenerate with: npx vitest run src/cli/pages/cause-pages.test.ts -u -->\n'

const KINDS: Readonly<Record<CauseKind, { readonly title: string; readonly one: string }>> = {
  'never-started': { title: 'The runner never started', one: 'The runner never started' },
  'not-a-death': { title: 'The job ended, the runner was healthy', one: 'Not a death' },
  death: { title: 'The runner died', one: 'A death' },
  unknown: { title: 'No cause can be named', one: 'No cause' },
}

/** The plain recorded case first, then one that misleads, then the others. */
export function inOrderOfShowing<B extends ExampleBundle>(bundles: readonly B[]): readonly B[] {
  const sorted = bundles.toSorted((a, b) => (pathStem(a.path) < pathStem(b.path) ? -1 : 1))
  const plain = sorted.find(({ isRecorded }) => isRecorded) ?? sorted.find(({ trap }) => trap === null)
  const misleading = sorted.find((bundle) => bundle !== plain && bundle.trap !== null)
  const first = [plain, misleading].filter((bundle) => bundle !== undefined)
  return [...first, ...sorted.filter((bundle) => !first.includes(bundle))]
}

/** docs/causes/README.md */
export function causeIndex(causes: readonly DescribedCause[]): string {
  const kinds = [...new Set(causes.map(({ kind }) => kind))]
  return [
    '# Causes\n',
    GENERATED,
    'The causes that `signalbox why` can name, with a page for each. How to read an answer: [why](../why.md). What each source gives: [evidence](../evidence.md). The examples are output of the program, without the timeline and the list of blind sources; long lines are cut.\n',
    ...kinds.flatMap((kind) => [
      `## ${KINDS[kind].title}\n`,
      '| cause | meaning |\n| --- | --- |\n' +
        causes
          .filter((cause) => cause.kind === kind)
          .map(({ id, meaning }) => `| [${id}](${id}.md) | ${meaning} |\n`)
          .join(''),
    ]),
  ].join('\n')
}

/** docs/causes/<id>.md */
export function causePage(cause: DescribedCause, examples: readonly CauseExample[]): string {
  return [
    `# ${cause.id}\n`,
    GENERATED,
    `${KINDS[cause.kind].one}: ${cause.meaning}. [All causes](README.md), [how to read an answer](../why.md).\n`,
    '## How to recognise it\n',
    `${cause.distinguishedBy}\n`,
    ...proofParts(cause),
    ...(examples.length === 0 ? [] : ['## Examples\n', ...examples.flatMap(exampleParts)]),
  ].join('\n')
}

function proofParts({ settledBy, isProvenByStatus }: DescribedCause): readonly string[] {
  if (settledBy.length === 0) return []
  return [
    '## What proves it\n',
    `${settledBy.map((source) => `\`${source}\``).join(', ')}. ${
      isProvenByStatus === true
        ? "The pod's status alone is enough."
        : settledBy.includes('kubernetes/pods')
          ? "The pod's status alone gives at most 60 %."
          : ''
    }`.trim(),
    '\nWhat is lost without each source: [evidence](../evidence.md#what-each-missing-source-costs).\n',
  ]
}

function exampleParts({ path, isRecorded, why, trap, judgement: investigation }: CauseExample): readonly string[] {
  return [
    `### ${exampleName(path)}\n`,
    `${isRecorded ? RECORDED : WRITTEN} ${prose(why)}\n`,
    ...(trap === null ? [] : [`**What misleads:** ${prose(trap)}\n`]),
    `\`\`\`console\n$ signalbox why --bundle ${path}\n${renderExample(investigation)}\`\`\`\n`,
  ]
}

/** With its folder: two bundles may have one name. */
function exampleName(path: string): string {
  return pathStem(path).split('/').slice(-2).join('/')
}

function pathStem(path: string): string {
  return path.replace(/\.tar\.gz$/, '')
}

/** The command's output without the timeline and the blind sources; alternatives only for `unknown`. */
function renderExample(investigation: JudgedSubject): string {
  const { verdict, alternatives, evidence } = investigation
  const { sections } = renderWhy(
    [
      {
        ...investigation,
        timeline: [],
        alternatives: verdict.cause === UNKNOWN.id ? alternatives : [],
        evidence: { ...evidence, sources: new Map() },
        verdict: { ...verdict, because: verdict.because.map(clipped), doubts: verdict.doubts.map(clipped) },
      },
    ],
    'usual',
  )
  const texts = sections.map(({ title, table, text }) =>
    [
      title === undefined ? '' : `${title}\n`,
      table === undefined ? '' : renderTable(table),
      text === undefined ? '' : `${text}\n`,
    ].join(''),
  )
  return withoutHosts(`${texts.join('\n').trimEnd()}\n`)
}

function clipped(fact: Fact): Fact {
  const text = printable(fact.text)
  return text.length <= SHOWN_CHARACTERS ? fact : { ...fact, text: `${text.slice(0, SHOWN_CHARACTERS).trimEnd()} …` }
}

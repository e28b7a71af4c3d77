import { areAlike } from './alike-hints.ts'
import { BRIEF, FULL, describeFinding, printed } from './finding-details.ts'
import type { Detail } from './finding-details.ts'
import type { Section } from '#/cli/output/print-output.ts'
import type { Style, Tone } from '#/cli/output/style.ts'
import { markdownText } from '#/cli/output/table.ts'
import type { Finding, FindingSubject, Severity } from '#/core/audit/finding.ts'
import { SEVERITIES } from '#/core/audit/finding.ts'
import { isBlindFinding } from '#/core/audit/run-audit.ts'
import type { AuditReport } from '#/core/audit/run-audit.ts'

const TONES: Readonly<Record<Severity, Tone>> = { info: 'dim', warning: 'yellow', critical: 'red' }

/** One block for each class and severity, with its findings and one hint for those that are alike. */
export function reportSection(report: AuditReport, isFull: boolean): Section {
  const { id } = report
  const detail = isFull ? FULL : BRIEF
  const findings = withoutRepeatedHints(report)
  return {
    title: id,
    styled: (style) => textBlocks(findings, detail, style),
    markdown: () => `## ${id}\n\n${markdownBlocks(findings)}`,
  }
}

/** The table of what was not looked at says what would change that. */
function withoutRepeatedHints({ findings, sources }: AuditReport): readonly Finding[] {
  const unseen = new Set(sources.flatMap(({ ok, name }) => (ok ? [] : [name])))
  return findings.map((finding) =>
    isBlindFinding(finding) && unseen.has(finding.subject.name)
      ? Object.assign({}, finding, { hint: TO_SEE_IT })
      : finding,
  )
}

const TO_SEE_IT = 'see "Not looked at" below; until then what depends on it is unknown'

type Block = {
  readonly class: string
  readonly severity: Severity
  readonly findings: readonly Finding[]
  readonly advice: readonly Advice[]
}

type Advice = { readonly hint: string; readonly alike: number; readonly subject: FindingSubject }

function toBlocks(findings: readonly Finding[]): readonly Block[] {
  const groups = Map.groupBy(findings, (one) => `${one.severity} ${one.class}`)
  const given = new Map<string, string>()
  return [...groups.values()].toSorted(worstFirst).flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const advice = listAdvice(own).map((one) => {
      const before = given.get(one.hint)
      given.set(one.hint, before ?? first.class)
      // Several classes about one lane have the same remedy.
      return before === undefined ? one : { subject: one.subject, alike: 0, hint: `the same as for ${before}` }
    })
    return [{ class: first.class, severity: first.severity, findings: own, advice }]
  })
}

function worstFirst([a]: readonly Finding[], [b]: readonly Finding[]): number {
  return SEVERITIES.indexOf(b?.severity ?? 'info') - SEVERITIES.indexOf(a?.severity ?? 'info')
}

/** A class has few kinds of hints; comparing thousands with each other would take minutes. */
const MOST_COMPARED = 20

/** Each kind of hint once, with the number of findings that it also fits. */
function listAdvice(findings: readonly Finding[]): readonly Advice[] {
  const names = new Set(findings.flatMap(({ subject }) => [subject.name, subject.namespace ?? subject.name]))
  const advice: { hint: string; alike: number; subject: FindingSubject }[] = []
  for (const { hint, subject } of findings) {
    const known = advice.slice(0, MOST_COMPARED).find((one) => areAlike(one.hint, hint, names))
    if (known === undefined) advice.push({ hint, alike: 0, subject })
    else if (known.hint !== hint) known.alike += 1
  }
  return advice
}

const MOST_ADVICE = 10

/** In detail, in one line, and only counted. */
const IN_DETAIL = 3
const IN_A_LINE = 20

function textBlocks(findings: readonly Finding[], detail: Detail, style: Style): string {
  const shown = new Set<string>()
  return toBlocks(findings)
    .flatMap((block) => textBlock(block, { detail, shown, style }))
    .map((line) => `${line}\n`)
    .join('')
}

type Showing = { readonly detail: Detail; readonly style: Style; readonly shown: Set<string> }

function textBlock(block: Block, { detail, style, shown }: Showing): readonly string[] {
  const { severity, findings, advice } = block
  const [first] = findings
  const head = `${style(TONES[severity], severity)}  ${style('bold', block.class)}`
  if (first === undefined) return []
  // Five hundred healthy nodes would hide the full one.
  if (severity === 'info' && detail !== FULL) {
    const more = findings.length === 1 ? '' : ` and ${findings.length - 1} more`
    return [
      `${head}  ${printed(subjectName(first.subject), detail)}${more}: ${printed(first.evidence[0] ?? '', detail)}`,
    ]
  }
  const inDetail = detail === FULL ? findings : findings.slice(0, IN_DETAIL)
  const inALine = findings.slice(inDetail.length, inDetail.length + IN_A_LINE)
  const rest = findings.length - inDetail.length - inALine.length
  return [
    `${head}${findings.length === 1 ? '' : `  ${findings.length}`}`,
    ...inDetail.flatMap((finding) => textEntry(finding, { detail, style, shown })),
    ...inALine.map(
      ({ subject, evidence }) => `  ${printed(subjectName(subject), detail)}: ${printed(evidence[0] ?? '', ONE_LINE)}`,
    ),
    ...(rest === 0 ? [] : [`  and ${rest} more (-v)`]),
    ...adviceLines(block, advice, detail).map((line) => `  ${line}`),
  ]
}

function textEntry(finding: Finding, { detail, shown }: Showing): readonly string[] {
  const lines = describeFinding(finding, detail, shown).map((line) => `    ${line}`)
  return [`  ${printed(subjectName(finding.subject), detail)}`, ...lines]
}

const ONE_LINE: Detail = { ...BRIEF, characters: 120 }

function adviceLines({ findings }: Block, advice: readonly Advice[], detail: Detail): readonly string[] {
  if (detail === FULL && advice.some(({ alike }) => alike > 0)) {
    return findings.map(
      ({ subject, hint }) => `what to do for ${printed(subjectName(subject), FULL)}: ${printed(hint, FULL)}`,
    )
  }
  const more = advice.length > MOST_ADVICE ? [`and ${advice.length - MOST_ADVICE} more hints (-v)`] : []
  const lines = advice.slice(0, detail === FULL ? undefined : MOST_ADVICE).map(({ hint, alike, subject }) => {
    const whom = advice.length === 1 ? '' : ` for ${printed(subjectName(subject), FULL)}`
    const others = alike === 0 ? '' : `; likewise for ${alike === 1 ? 'the other' : `${alike} others`} (-v)`
    return `what to do${whom}: ${printed(hint, FULL)}${others}`
  })
  return detail === FULL ? lines : [...lines, ...more]
}

/** Lists instead of tables: chats do not show tables. All of it, because a reader of a chat has nothing else. */
function markdownBlocks(findings: readonly Finding[]): string {
  const shown = new Set<string>()
  return toBlocks(findings)
    .map((block) => {
      const { severity, advice } = block
      const items = block.findings.flatMap((finding) => markdownEntry(finding, shown))
      const hints = adviceLines(block, advice, FULL).map(
        (line) => `- **what to do**${markdownText(line.slice(WHAT.length))}`,
      )
      return `**${severity}: ${block.class}**\n${[...items, ...hints].map((line) => `${line}\n`).join('')}`
    })
    .join('\n')
}

function markdownEntry(finding: Finding, shown: Set<string>): readonly string[] {
  const lines = describeFinding(finding, FULL, shown).map((line) => `  - ${markdownText(line)}`)
  return [`- ${markdownText(printed(subjectName(finding.subject), FULL))}`, ...lines]
}

const WHAT = 'what to do'

export function subjectName({ kind, namespace, name, line, column }: FindingSubject): string {
  const place = line === undefined ? '' : `:${line}${column === undefined ? '' : `:${column}`}`
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}${place}`
}

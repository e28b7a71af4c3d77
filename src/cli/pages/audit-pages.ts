import { subjectName } from '#/cli/audit/report-section.ts'
import { prose, withoutHosts } from '#/cli/output/page-text.ts'
import { printable } from '#/cli/output/printable.ts'
import { keepEnds } from '#/core/basics/keep-ends.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import type { Audit, AuditClass } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'

/** A finding from a test fleet. */
export type ClassExample = { readonly path: string; readonly why: string; readonly finding: Finding }

const GENERATED =
  '<!-- Generated from src/audits and test/fleets; regenerate with: npx vitest run src/cli/pages/audit-pages.test.ts -u -->\n'

/** docs/audits/README.md */
export function auditIndex(audits: readonly Audit[]): string {
  return [
    '# Audits\n',
    GENERATED,
    'The audits of `signalbox audit`, with a page for each audit and for each finding class. From a symptom to the command to run: [troubleshooting](../troubleshooting.md). What the fleet file declares: [fleet file](../fleet-file.md).\n',
    `| audit | asks | classes |\n| --- | --- | --- |\n${audits
      .map(
        ({ id, asks, classes }) =>
          `| [${id}](${id}.md) | ${asks} | ${classes.map((one) => `[${one.class}](../findings/${one.class}.md)`).join(', ')} |\n`,
      )
      .join('')}`,
  ].join('\n')
}

/** docs/audits/<id>.md */
export function auditPage({ id, asks, about, reads, classes }: Audit): string {
  return [
    `# ${id}\n`,
    GENERATED,
    `Asks: ${asks} [All audits](README.md).\n`,
    `\`\`\`console\n$ signalbox audit ${id}\n$ signalbox audit ${id} --bundle bundle.tar.gz -o json\n\`\`\`\n`,
    '## How it decides\n',
    `${about}\n`,
    '## What it finds\n',
    `| class | severity | meaning |\n| --- | --- | --- |\n${classes
      .map((one) => `| [${one.class}](../findings/${one.class}.md) | ${one.severity} | ${one.meaning} |\n`)
      .join('')}`,
    '## What it reads\n',
    `A source that cannot be read gives the finding \`blind\`, and what depends on it is unknown. Without a needed source the audit cannot report that all is well (exit code 3). A useful source counts only where it was asked for.\n`,
    `| source | | gives |\n| --- | --- | --- |\n${reads
      .map(({ source, weight, gives }) => `| \`${source}\` | ${weight} | ${gives} |\n`)
      .join('')}`,
  ].join('\n')
}

export type ClassOfAudit = { readonly audit: Audit; readonly class: AuditClass; readonly example: ClassExample | null }

/** docs/findings/<class>.md. Two audits may share a class name. */
export function classPage(name: string, uses: readonly ClassOfAudit[]): string {
  return [
    `# ${name}\n`,
    GENERATED,
    ...uses.flatMap(({ audit, class: one, example }) => [
      `## In \`${audit.id}\`\n`,
      `${capital(one.meaning)}. Severity: ${one.severity}. Found by [\`signalbox audit ${audit.id}\`](../audits/${audit.id}.md).\n`,
      `**What to do.** ${one.next}\n`,
      ...(example === null ? [] : exampleParts(audit.id, example)),
    ]),
  ].join('\n')
}

function exampleParts(audit: string, { path, why, finding }: ClassExample): readonly string[] {
  const { severity, subject, evidence, hint } = finding
  return [
    `**An example.** ${prose(why)}\n`,
    `\`\`\`console\n$ signalbox audit ${audit} --bundle ${path}\n${severity}  ${finding.class}  ${subjectName(subject)}\n${evidence
      .slice(0, SHOWN)
      .map((line) => `  ${clipped(line)}\n`)
      .join('')}  what to do: ${clipped(hint)}\n\`\`\`\n`,
  ]
}

const SHOWN = 4
const LONGEST = 240

function clipped(text: string): string {
  return keepEnds(withoutHosts(printable(redact(text))), LONGEST)
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

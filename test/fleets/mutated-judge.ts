import { AUDITS } from '#/audits/index.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { openTerminal } from '#/cli/output/terminal.ts'
import { auditExit } from '#/cli/audit/fail-on.ts'
import { renderAudit } from '#/cli/audit/render-audit.ts'
import type { AuditAnswer } from '#/cli/audit/render-audit.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { SEVERITIES } from '#/core/audit/finding.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { isBlindFinding } from '#/core/audit/run-audit.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { seenIn } from '#test/bundles/secret-shapes.ts'
import { remembered } from '#test/bundles/remembered.ts'

/** Reads each file once, however many mutants leave it unchanged. */
export function remembering(bundle: Bundle): Bundle {
  return {
    ...bundle,
    list: remembered((resource) => bundle.list(resource)),
    stats: remembered((node) => bundle.stats(node)),
    configz: remembered((node) => bundle.configz(node)),
    auditLog: remembered(() => bundle.auditLog()),
    log: remembered((name) => bundle.log(name)),
    hostFile: remembered((host, name) => bundle.hostFile(host, name)),
    githubJob: remembered((id) => bundle.githubJob(id)),
    githubRunners: remembered(() => bundle.githubRunners()),
    githubQueuedJobs: remembered(() => bundle.githubQueuedJobs()),
    githubRateLimit: remembered(() => bundle.githubRateLimit()),
    gitlabConfig: remembered(() => bundle.gitlabConfig()),
    gitlabRunners: remembered(() => bundle.gitlabRunners()),
    fleet: remembered(() => bundle.fleet()),
  }
}

/** The mutant, with untouched files taken from the original. */
export function reuseReadings(whole: Bundle, mutant: Bundle, touched: ReadonlySet<string>): Bundle {
  if (touched.has(bundlePath.meta)) return mutant
  const pickBundle = (path: string): Bundle => (touched.has(path) ? mutant : whole)
  return {
    ...mutant,
    list: (resource) => pickBundle(bundlePath.resource(resource)).list(resource),
    stats: (node) => pickBundle(bundlePath.stats(node)).stats(node),
    configz: (node) => pickBundle(bundlePath.configz(node)).configz(node),
    auditLog: () => pickBundle(bundlePath.audit).auditLog(),
    log: (name) => pickBundle(bundlePath.log(name)).log(name),
    hostFile: (host, name) => pickBundle(bundlePath.host(host, name)).hostFile(host, name),
    githubJob: (id) => pickBundle(bundlePath.githubJob(id)).githubJob(id),
    githubRunners: () => pickBundle(bundlePath.githubRunners).githubRunners(),
    githubQueuedJobs: () => pickBundle(bundlePath.githubQueuedJobs).githubQueuedJobs(),
    githubRateLimit: () => pickBundle(bundlePath.githubRateLimit).githubRateLimit(),
    gitlabConfig: () => pickBundle(bundlePath.gitlabConfig).gitlabConfig(),
    gitlabRunners: () => pickBundle(bundlePath.gitlabRunners).gitlabRunners(),
    fleet: () => pickBundle(bundlePath.fleet).fleet(),
  }
}

const CLASSES = new Map(AUDITS.map(({ id, classes }) => [id as string, new Set(classes.map((one) => one.class))]))

/** Extra checks, only for some mutants because they cost more than the audits. */
export type Looking = { readonly secrets: boolean; readonly table: boolean }

/** The rules of the contract that this answer breaks. */
export async function faultsIn(answer: AuditAnswer, { secrets, table }: Looking): Promise<readonly string[]> {
  const exitCode = auditExit(answer.reports, [])
  const json = await rendered(answer, 'json')
  const document = JSON.parse(json) as { readonly schemaVersion: unknown; readonly audits: readonly unknown[] }
  const isInForm = document.schemaVersion === 1 && document.audits.length === answer.reports.length
  return [
    ...(isInForm ? [] : ['JSON with another structure']),
    ...([0, 1, 3].includes(exitCode) ? [] : [`exit code ${exitCode}`]),
    ...(secrets ? [...seenIn(json)].map(([name, around]) => `a secret, ${name}: ${around}`) : []),
    ...(table ? await tableFaults(answer, secrets) : []),
    ...answer.reports.flatMap(({ id, sources, findings }) => [
      ...sources
        .filter(({ ok, reason }) => !ok && (reason ?? '') === '')
        .map(({ name }) => `${id}: ${name} without a reason`),
      ...findings.flatMap((finding) => findingFaults(id, finding).map((fault) => `${id} ${finding.class}: ${fault}`)),
    ]),
  ]
}

async function tableFaults(answer: AuditAnswer, secrets: boolean): Promise<readonly string[]> {
  const text = await rendered(answer, 'table')
  const at = text.search(UNPRINTABLE)
  const obeyed = JSON.stringify(text.slice(Math.max(0, at - 60), at + 20))
  return [
    ...(at < 0 ? [] : [`control characters for a terminal: ${obeyed}`]),
    ...(secrets ? [...seenIn(text)].map(([name, around]) => `a secret in the table, ${name}: ${around}`) : []),
  ]
}

function findingFaults(id: string, finding: Finding): readonly string[] {
  const { class: name, severity, subject, evidence, hint, fields } = finding
  const isKnown = isBlindFinding(finding) || CLASSES.get(id)?.has(name) === true
  const texts: readonly unknown[] = [hint, ...evidence, subject.kind, subject.name, subject.namespace ?? '']
  const checks: readonly (readonly [boolean, string])[] = [
    [isKnown, 'a class that the audit does not have'],
    [SEVERITIES.includes(severity), `severity ${severity}`],
    [texts.every((text) => typeof text === 'string'), 'a text that is not a string'],
    [subject.kind !== '' && hint !== '', 'no kind or no hint'],
    [evidence.length > 0, 'no evidence'],
    [areFinite(fields), `a number that is not finite: ${JSON.stringify(fields ?? {}).slice(0, 200)}`],
    [
      isBlindFinding(finding) || !texts.some((text) => SLIP.test(String(text))),
      `a slip: ${texts.join(' | ').slice(0, 400)}`,
    ],
  ]
  return checks.flatMap(([isKept, fault]) => (isKept ? [] : [fault]))
}

/** Words that show a bug in a template. */
const SLIP = /\bundefined\b|\bNaN\b|\bInfinity\b|\[object \w+\]|Invalid Date/

function areFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(areFinite)
}

/** Control characters, and those that change the text direction. A line break is allowed. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

async function rendered(answer: AuditAnswer, format: 'json' | 'table'): Promise<string> {
  let written = ''
  const sink = { isTTY: false, write: (text: string): boolean => (written += text) !== '' }
  const terminal = openTerminal({ stdout: sink, stderr: sink, colour: false, dumb: true, quiet: true, verbose: false })
  await printOutput(terminal, format, renderAudit(answer))
  return written
}

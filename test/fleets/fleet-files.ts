import { readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { openArchiveFiles } from '#/adapters/bundle/archive-files.ts'
import { BUNDLE_LIMITS } from '#/adapters/bundle/open-bundle.ts'
import { readAll } from '#/adapters/bundle/read-all.ts'
import { readFleetDocument } from '#/adapters/fleet-file/read-fleet-document.ts'
import { examine } from '#/cli/audit/examine.ts'
import { auditExit } from '#/cli/audit/fail-on.ts'
import { renderAudit } from '#/cli/audit/render-audit.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { Audit, Question } from '#/core/audit/audit.ts'
import { readFleet } from '#/core/fleet/fleet.ts'
import type { AuditReport } from '#/core/audit/run-audit.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { readSnapshot } from '#/runtime/audit/read-snapshot.ts'
import type { Files } from '#test/bundles/mutate-files.ts'
import { openFiles } from '#test/bundles/mutate-judge.ts'

/** All files of a fleet, packed or not, in memory, without the expected findings. */
export async function readFleetFiles(fleet: string): Promise<Files> {
  if (statSync(fleet).isDirectory()) {
    const names = readdirSync(fleet, { recursive: true, encoding: 'utf8' })
    const own = names.filter((name) => name !== 'expected.json' && statSync(path.join(fleet, name)).isFile())
    return new Map(own.map((name) => [name, readFileSync(path.join(fleet, name))]))
  }
  const packed = await openArchiveFiles(fleet, BUNDLE_LIMITS, new AbortController().signal)
  try {
    const files = new Map<string, Uint8Array>()
    for (const name of packed.sizes.keys()) {
      files.set(name.replace(/^\.\//, ''), await readAll(packed.chunks(name), BUNDLE_LIMITS.fileBytes))
    }
    return files
  } finally {
    await packed.close()
  }
}

/** The command's output with `-o json`, and its exit code. */
export type Printed = { readonly text: string; readonly exitCode: number; readonly reports: readonly AuditReport[] }

export async function auditFiles(
  files: Files,
  audits: readonly Audit[],
  asked: Partial<Question> = {},
): Promise<Printed> {
  const bundle = openFiles(files)
  if ('why' in bundle) throw new Error(bundle.why)
  return auditBundle(bundle, audits, asked)
}

export async function auditBundle(
  bundle: Bundle,
  audits: readonly Audit[],
  asked: Partial<Question> = {},
): Promise<Printed> {
  const fleet = readFleet(await readSnapshot(bundle, audits, readFleetDocument))
  const answer = examine(fleet, { audits, areNamed: true, question: { ...WHOLE_FLEET, ...asked } })
  const document = { schemaVersion: 1, ...renderAudit(answer).data }
  return { text: JSON.stringify(document), exitCode: auditExit(answer.reports, []), reports: answer.reports }
}

export function readText(files: Files, name: string): string {
  return Buffer.from(files.get(name) ?? []).toString('utf8')
}

export function withFile(files: Files, name: string, text: string): Files {
  return new Map([...files, [name, Buffer.from(text)]])
}

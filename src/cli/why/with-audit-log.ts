import { access, constants } from 'node:fs/promises'
import { openAuditLogFile, toBlindReason } from '#/adapters/audit-log/audit-log-file.ts'
import { openArchiveFiles } from '#/adapters/bundle/archive-files.ts'
import type { BundleFiles } from '#/adapters/bundle/bundle-files.ts'
import { BUNDLE_LIMITS } from '#/adapters/bundle/open-bundle.ts'
import { readAll } from '#/adapters/bundle/read-all.ts'
import { writeBundle } from '#/adapters/bundle/write-bundle.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { AuditLogScope } from '#/core/kubernetes/audit-log-scope.ts'
import { parseJson } from '#/core/evidence/bundle-json.ts'
import { parseMeta } from '#/core/evidence/bundle-meta.ts'
import type { BundleMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { Death } from '#/core/recorder/death.ts'
import { timeAt } from '#/core/basics/fields.ts'
import { describeReason } from '#/core/basics/observed.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import { readAuditLog } from '#/runtime/collect/sources/audit-log-evidence.ts'
import { AUDIT_LOG_SOURCE, auditLogFile } from '#/runtime/collect/sources/audit-log-evidence.ts'

/** A named file that does not exist is a usage error, not a blind source. */
export async function refuseUnreadable(auditLog: string | undefined, signal: AbortSignal): Promise<void> {
  if (auditLog === undefined) return
  try {
    await access(auditLog, constants.R_OK)
  } catch (error) {
    throw new CommandFailure(EXIT.usage, `--audit-log: ${toBlindReason(error, auditLog, signal).detail}`, [
      'use the file of kube-apiserver --audit-log-path',
    ])
  }
}

export type AuditWish = {
  readonly auditLog: string
  readonly death: Pick<Death, 'namespace' | 'pod' | 'node' | 'diedAt' | 'recordedAt'>
  readonly now: number
  readonly signal: AbortSignal
}

const BEFORE_MS = 3_600_000
const AFTER_MS = 600_000

/**
 * Writes the stored bundle again, with the audit log replaced by the lines of the given file. Returns a reason if the
 * stored one is better.
 */
export async function putAuditLog(stored: string, target: string, wish: AuditWish): Promise<string | null> {
  const { auditLog, death, now, signal } = wish
  const window = { from: death.diedAt - BEFORE_MS, to: Math.max(death.diedAt, death.recordedAt) + AFTER_MS }
  const nodes = new Set(death.node === null ? [] : [death.node])
  const scope = { namespaces: new Set([death.namespace]), pods: new Set([death.pod]), nodes, window }
  const reading = await readEnded(openAuditLogFile(auditLog), scope, signal)
  const found = auditLogFile(reading, scope, now)
  if (found.kind === 'blind') return describeReason(found.reason)
  const files = await openArchiveFiles(stored, BUNDLE_LIMITS, signal)
  try {
    const meta = await metaIn(files)
    if (reading.lines.length === 0 && meta.sources.get(AUDIT_LOG_SOURCE)?.kind === 'looked')
      return 'it has no line about that pod'
    const { kind, coverage } = found
    const sources = new Map([...meta.sources, [AUDIT_LOG_SOURCE, { kind, coverage }] as const])
    const draft = { files: replaced(files, found.file), meta: () => ({ ...meta, sources }) }
    const writing = await writeBundle(target, draft, BUNDLE_LIMITS, signal)
    if (writing.kind === 'written') return null
    throw new CommandFailure(EXIT.failed, writing.kind === 'refused' ? writing.why : 'reading was stopped')
  } finally {
    await files.close()
  }
}

/** A copied or rotated file ends with its last line: after it nothing was observed. */
async function readEnded(log: AuditLog, scope: AuditLogScope, signal: AbortSignal) {
  let [before, last] = ['', '']
  const tapped: AuditLog = {
    lines: async function* (...asked) {
      for await (const event of log.lines(...asked)) {
        if (event.kind === 'line') [before, last] = [last, event.text]
        yield event
      }
    },
  }
  const reading = await readAuditLog(tapped, scope, { signal })
  return { ...reading, lastAt: writtenAt(last) ?? writtenAt(before) ?? reading.firstAt }
}

function writtenAt(line: string): number | null {
  const reading = parseJson(line)
  return reading.kind === 'parsed' ? timeAt(reading.value, 'stageTimestamp') : null
}

async function metaIn(files: BundleFiles): Promise<BundleMeta> {
  const text = Buffer.from(await readAll(files.chunks(bundlePath.meta), BUNDLE_LIMITS.fileBytes)).toString('utf8')
  const reading = parseMeta(text)
  if (reading.kind === 'read') return reading.meta
  throw new CommandFailure(EXIT.blind, `cannot read the stored meta.json: ${reading.why}`)
}

function* replaced(files: BundleFiles, audit: BundleFile): Generator<BundleFile> {
  for (const path of files.sizes.keys()) {
    if (path !== bundlePath.meta && path !== audit.path) yield { path, content: files.chunks(path) }
  }
  yield audit
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openArchiveFiles } from '#/adapters/bundle/archive-files.ts'
import { BUNDLE_LIMITS } from '#/adapters/bundle/open-bundle.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { repository } from '#test/cli/run-signalbox.ts'
import { serveRecorded } from '#test/server/recorded-server.ts'
import type { RecordedServer } from '#test/server/recorded-server.ts'

const POD = 'ads-4vcpu-n8qcd-runner-w3k7v'
const DIED_AT = Date.parse('2026-11-15T21:14:43Z')

let folder: string
let server: RecordedServer
let recorded: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-stored-audit-'))
  recorded = await auditLogIn('force-deleted')
  const times = { diedAt: DIED_AT, recordedAt: DIED_AT + 1000 }
  server = await serveRecorded([
    { bundle: 'force-deleted', namespace: 'arc-ads', pod: POD, node: 'runner-node-1', ...times },
  ])
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

async function auditLogIn(name: string): Promise<string> {
  const archive = resolve(repository, 'test', 'bundles', 'deaths', `${name}.tar.gz`)
  const files = await openArchiveFiles(archive, BUNDLE_LIMITS, new AbortController().signal)
  try {
    return await text(files.chunks('kubernetes/audit.jsonl'))
  } finally {
    await files.close()
  }
}

async function why(auditLog: string, ...more: readonly string[]) {
  const path = join(folder, 'audit.log')
  await writeFile(path, auditLog)
  return runInProcess(['why', POD, ...more, '--audit-log', path, '--server', server.url, '-o', 'json'])
}

describe('--audit-log with a recorded death', () => {
  it.each([
    ['of its own accord', []],
    ['by --store', ['--store']],
  ])('says who did it, %s', async (_, args) => {
    const { stdout, stderr } = await why(recorded.replaceAll('jane.doe@', 'john.roe@'), ...args)
    expect(stderr).toContain('From the store')
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: { cause: 'force-deleted', actor: 'user:john.roe@acme.example' },
    })
  })

  it('is not used, with a notice, when it has no line about the pod', async () => {
    for (const other of ['', recorded.replaceAll(POD, 'another'), recorded.replaceAll('2026-11-15T', '2026-11-14T')]) {
      const { stdout, stderr } = await why(other, '--store')
      expect(stderr).toContain('audit.log is not used: ')
      expect(JSON.parse(stdout)).toMatchObject({ verdict: { actor: 'user:jane.doe@acme.example' } })
    }
  })

  it('is the only such flag: --this-node gives a notice that it is not used', async () => {
    const { stderr } = await why(recorded, '--store', '--this-node', 'runner-node-1')
    expect(stderr).toContain('--this-node is not used')
    expect((await why(recorded, '--store')).stderr).not.toContain('not used')
  })

  it.each(['why', 'timeline'])('is a usage error in %s when the file does not exist', async (command) => {
    const missing = join(folder, 'none.log')
    const ran = await runInProcess([command, POD, '--audit-log', missing, '--server', server.url])
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(`--audit-log: ${missing}: no such file`)])
  })
})

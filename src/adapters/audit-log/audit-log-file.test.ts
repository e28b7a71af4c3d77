import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAuditLogFile } from './audit-log-file.ts'

const ALL = { namespaces: null, nodes: null, window: { from: 0, to: null } }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-audit-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function read(path: string, signal = new AbortController().signal) {
  const found: string[] = []
  for await (const event of openAuditLogFile(path).lines(signal, ALL)) {
    if (event.kind !== 'looking') found.push(event.kind === 'line' ? event.text : event.reason.code)
  }
  return found
}

describe('the audit log of an API server', () => {
  it('is read line by line, up to an incomplete one', async () => {
    const path = join(folder, 'audit.log')
    await writeFile(path, '{"a":1}\n\n{"b":"é"}\n{"cut')
    expect(await read(path)).toEqual(['{"a":1}', '{"b":"é"}', '{"cut'])
  })

  it('skips a line that is longer than any event', async () => {
    const path = join(folder, 'long.log')
    await writeFile(path, `first\n${'x'.repeat(9 * 1024 * 1024)}\nlast\n`)
    expect(await read(path)).toEqual(['first', 'last'])
  })

  it('is blind where there is no file, where it is a folder, and where it is a named pipe', async () => {
    expect(await read(join(folder, 'none'))).toEqual(['unsupported'])
    expect(await read(folder)).toEqual(['server-error'])
    const pipe = join(folder, 'pipe')
    expect(spawnSync('sh', ['-c', 'mkfifo "$0"', pipe]).status).toBe(0)
    expect(await read(pipe)).toEqual(['unsupported'])
  })

  it('stops reading on shutdown', async () => {
    const path = join(folder, 'stop.log')
    await writeFile(path, 'x\n'.repeat(10))
    expect(await read(path, AbortSignal.abort())).toEqual(['stopped'])
  })
})

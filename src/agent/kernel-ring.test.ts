import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { createKernelRing } from './kernel-ring.ts'
import type { KernelRing } from './kernel-ring.ts'

const { signal } = new AbortController()
const all = { kind: 'journal' as const, since: 0, until: null, maxBytes: 1_000_000, about: [] }

let folder: string
let stop: AbortController
let done: Promise<void>
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-kmsg-'))
  stop = new AbortController()
  done = Promise.resolve()
})
afterEach(async () => {
  stop.abort()
  await done
  await rm(folder, { recursive: true })
})

function follow(path: string): KernelRing {
  const ring = createKernelRing(path, systemClock)
  done = ring.run(stop.signal)
  return ring
}

/** A file in the place of the device: it shows what stands in it, and what is written comes out in another form. */
async function readRing(...records: readonly string[]): Promise<KernelRing> {
  const path = join(folder, 'kmsg')
  await writeFile(path, `${records.join('\n')}\n`)
  const ring = follow(path)
  await vi.waitFor(async () => expect((await ring.read(all, signal)).head.kind).toBe('journal'), { timeout: 30_000 })
  return ring
}

const isOurs = (): boolean => {
  try {
    accessSync('/dev/kmsg', constants.R_OK | constants.W_OK)
    return process.getuid?.() === 0
  } catch {
    return false
  }
}

describe("the kernel's own lines", () => {
  it('are given as a journal that claims no time', async () => {
    const ring = await readRing('6,1,1000000,-;one', ' SUBSYSTEM=pci', '3,2,2000000,-;two')
    const { head, rest } = await ring.read(all, signal)
    expect(Buffer.from(rest ?? []).toString()).toMatch(/"MESSAGE":"one"\}\n.*"MESSAGE":"two"\}\n$/)
    expect(head).toMatchObject({ kind: 'journal', gaps: [{ code: 'unsupported' }, { code: 'timeout' }] })
    if (head.kind === 'journal') expect(head.from).toBe(head.to)
  })

  it('are cut at their beginning where they are too many', async () => {
    const ring = await readRing('6,1,1000000,-;one', '3,2,2000000,-;two')
    const { head, rest } = await ring.read({ ...all, maxBytes: 300, about: [] }, signal)
    expect(Buffer.from(rest ?? []).toString()).toMatch(/^[^\n]*"MESSAGE":"two"\}\n$/)
    expect(head).toMatchObject({ gaps: [{}, {}, { code: 'truncated' }] })
  })

  it('are blind where nothing is in the window and nothing that was written is heard', async () => {
    const ring = await readRing('6,1,1000000,-;one')
    const { head } = await ring.read({ ...all, since: Date.now() + 60_000 }, signal)
    expect(head).toMatchObject({ kind: 'blind', reason: { code: 'unreachable' } })
  })

  it('are blind where there are none to be read', async () => {
    const ring = follow(join(folder, 'absent'))
    await done
    expect((await ring.read(all, signal)).head).toMatchObject({ kind: 'blind', reason: { code: 'forbidden' } })
  })

  it.skipIf(!isOurs())('show on this machine what was written a moment before', async () => {
    const ring = follow('/dev/kmsg')
    const since = Date.now() - 60_000
    await vi.waitFor(
      async () => {
        const { head, rest } = await ring.read({ ...all, since }, signal)
        expect(head).toMatchObject({ kind: 'journal', gaps: [{ code: 'unsupported' }] })
        expect(Buffer.from(rest ?? []).toString()).toContain('signalbox-agent: looking')
      },
      { timeout: 30_000 },
    )
  })
})

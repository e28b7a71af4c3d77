import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import type { PendingWrites, DeathWrite } from '#/ports/pending-writings.ts'

/** Deaths that wait for the store, each as one compressed file, or in memory where there is no room for one. A file that is half written has another ending. */
export function pendingFolder(folder: string): PendingWrites {
  const held = new Map<string, DeathWrite>()
  let number = 0
  return {
    add: async (writing) => {
      number += 1
      const name = join(folder, `${writing.postmortem.uid}-${writing.postmortem.recordedAt}-${number}`)
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const bytes = gzipSync(JSON.stringify({ ...writing, evidence: writing.evidence.map(printed) }))
        await writeFile(`${name}.partial`, bytes, { mode: 0o600 })
        await rename(`${name}.partial`, `${name}.json.gz`)
        return { bytes: bytes.length }
      } catch (error) {
        // On a full disk a half of it would only take the room of the next one.
        await rm(`${name}.partial`, { force: true }).catch(() => undefined)
        return { why: error instanceof Error ? error.message : String(error) }
      }
    },
    hold: (writing) => {
      number += 1
      held.set(`held-${number}`, writing)
    },
    names: async () => {
      const names = await readdir(folder).catch((): string[] => [])
      return [...names.filter((name) => name.endsWith('.json.gz')).toSorted(), ...held.keys()]
    },
    read: async (name) => {
      const writing = held.get(name)
      if (writing !== undefined) return writing
      try {
        return parsed(gunzipSync(await readFile(join(folder, name))).toString('utf8'))
      } catch {
        await rename(join(folder, name), join(folder, `${name}.unreadable`)).catch(() => undefined)
        return null
      }
    },
    remove: async (name) => {
      if (!held.delete(name)) await rm(join(folder, name), { force: true })
    },
  }
}

type PrintedPart = Omit<EvidencePart, 'content'> & { readonly content: string | null }

function printed(part: EvidencePart): PrintedPart {
  return { ...part, content: part.content === null ? null : Buffer.from(part.content).toString('base64') }
}

function read(part: PrintedPart): EvidencePart {
  return { ...part, content: part.content === null ? null : Buffer.from(part.content, 'base64') }
}

/** Our own file, written by `add`; what is no such file throws. */
function parsed(text: string): DeathWrite {
  const { postmortem, evidence } = JSON.parse(text) as {
    readonly postmortem: DeathWrite['postmortem']
    readonly evidence: readonly PrintedPart[]
  }
  if (typeof postmortem.uid !== 'string') throw new TypeError('not a stored death')
  return {
    postmortem,
    evidence: evidence.map(read),
  }
}

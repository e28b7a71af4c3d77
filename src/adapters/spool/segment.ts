import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '#/ports/log.ts'
import { readMark } from './encode-write.ts'
import { scanFrames } from './frame.ts'
import type { FramePlace } from './frame.ts'

/** `mark`: whose death it may be; null where that is not known. */
export type Entry = FramePlace & { readonly mark: number | null; isDone: boolean }

/** A file with records that wait. It is removed when all of them are stored. */
export type Segment = {
  readonly path: string
  readonly entries: Entry[]
  /** How many entries are stored. */
  done: number
  bytes: number
  /** Something in it cannot be read or stored, so it is set aside instead of removed. */
  isDamaged: boolean
  readonly isFormer: boolean
}

/** Number, salt of the checksums, and the process that appends to it. */
const NAME = /^(\d{12})-([0-9a-f]{8})-[0-9a-f]{8}\.spool$/
/** One death each, as 0.1.0 wrote them. */
const FORMER = /\.json\.gz$/
const SET_ASIDE = /\.unreadable$/
/** The newest are kept for a person who wants to look; the disk is needed for deaths. */
const MOST_SET_ASIDE = 16
const FORMER_PLACE = { start: 0, length: Infinity, mark: null, isDone: false }

export type SegmentName = { readonly number: number; readonly salt: number; readonly owner: string }

export function printSegmentName({ number, salt, owner }: SegmentName): string {
  return `${String(number).padStart(12, '0')}-${salt.toString(16).padStart(8, '0')}-${owner}.spool`
}

export function drawOwner(): string {
  return randomBytes(4).toString('hex')
}

export function drawSalt(): number {
  return randomBytes(4).readUInt32LE()
}

export type Found = { readonly segments: readonly Segment[]; readonly lastNumber: number }

/**
 * What earlier processes left. A segment is renamed before it is read: a process that still lives sees that it lost
 * the file, and appends to another.
 */
export async function findSegments(folder: string, owner: string, log: Log): Promise<Found> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const segments: Segment[] = []
  let lastNumber = 0
  for (const name of (await readdir(folder)).toSorted()) {
    if (SET_ASIDE.test(name)) continue
    const [, number, salt] = NAME.exec(name) ?? []
    if (number !== undefined && salt !== undefined) {
      const named = { number: Number(number), salt: Number.parseInt(salt, 16), owner }
      const own = join(folder, printSegmentName(named))
      await rename(join(folder, name), own)
      lastNumber = Math.max(lastNumber, named.number)
      segments.push(await scanSegment(own, named.salt, log))
    } else if (FORMER.test(name)) segments.push(await formerFile(join(folder, name)))
    else log.warn('not a file of the spool, left alone', { file: join(folder, name) })
  }
  return { segments: segments.filter((segment) => segment.entries.length > 0 || segment.isDamaged), lastNumber }
}

async function scanSegment(path: string, salt: number, log: Log): Promise<Segment> {
  const bytes = await readFile(path)
  const { frames, damagedBytes } = scanFrames(bytes, salt)
  if (damagedBytes > 0) {
    // The last write before a crash may be cut off. It was not reported yet.
    log.error('part of the spool cannot be read: deaths in it may be lost', {
      file: path,
      bytes: damagedBytes,
      readable: frames.length,
    })
  }
  if (bytes.length === 0) await rm(path, { force: true })
  const entries = frames.map((place) => Object.assign({ isDone: false, mark: readMark(bytes, place.start) }, place))
  return { path, entries, done: 0, bytes: bytes.length, isDamaged: damagedBytes > 0, isFormer: false }
}

async function formerFile(path: string): Promise<Segment> {
  const { size, mtimeMs } = await stat(path)
  const entries = [{ ...FORMER_PLACE, recordedAt: Math.floor(mtimeMs) }]
  return { path, entries, done: 0, bytes: size, isDamaged: false, isFormer: true }
}

/** Removes a segment whose records are stored, or keeps it for a person where some could not be. */
export async function dropSegment({ path, isDamaged }: Segment, folder: string): Promise<void> {
  if (!isDamaged) return rm(path, { force: true })
  await rename(path, `${path}.unreadable`)
  const aside = (await readdir(folder)).filter((name) => SET_ASIDE.test(name)).toSorted()
  for (const name of aside.slice(0, -MOST_SET_ASIDE)) await rm(join(folder, name), { force: true })
}

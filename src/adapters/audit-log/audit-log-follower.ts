import type { FileHandle } from 'node:fs/promises'
import { open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createLineSplitter } from '#/adapters/journal/line-splitter.ts'
import { parseJson } from '#/core/evidence/bundle-json.ts'
import { mayBeKept } from '#/core/kubernetes/audit-log-scope.ts'
import type { AuditLog, AuditLogEvent } from '#/ports/audit-log.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import { MAX_LINE_BYTES, namedPipe, toBlindReason } from './audit-log-file.ts'
import { createAuditLogRing, RING_LIMITS } from './audit-log-ring.ts'
import type { AuditLogRing } from './audit-log-ring.ts'
import { warnOfFutureEvents } from './future-events.ts'

/** Each event has a random id near its start, so this many bytes identify a file whatever its name. */
const HEAD_BYTES = 256
const CHUNK_BYTES = 1024 * 1024

export type FollowLimits = {
  /** More unread bytes than this are skipped, and the gap is reported. */
  readonly unreadBytes: number
  readonly ring: typeof RING_LIMITS
}

export const FOLLOW_LIMITS: FollowLimits = { unreadBytes: 128 * 1024 * 1024, ring: RING_LIMITS }

export type FollowMeans = {
  /** Null: all. */
  readonly namespaces: ReadonlySet<string> | null
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
  readonly limits?: FollowLimits
}

/** How far a file was read: the end of the last complete line. */
type Mark = { readonly head: Buffer; readonly offset: number }

/** The file that `kube-apiserver --audit-log-path` writes, for repeated reads: each line is read once. */
export function followAuditLogFile(
  path: string,
  { namespaces, clock, log, limits = FOLLOW_LIMITS }: FollowMeans,
): AuditLog {
  const ring = createAuditLogRing(namespaces, { now: clock.now, limits: limits.ring })
  const warn = warnOfFutureEvents(log, path)
  let mark: Mark | null = null
  let turn: Promise<unknown> = Promise.resolve()
  const catchUp = async (): Promise<void> => {
    mark = await readOn({ path, ring, limits }, mark)
    warn(ring)
  }
  return {
    lines: async function* (signal, scope): AsyncGenerator<AuditLogEvent> {
      try {
        signal.throwIfAborted()
        if ((await stat(path)).isFIFO()) {
          yield namedPipe(path)
          return
        }
        const own = turn.then(catchUp)
        turn = own.catch(() => undefined)
        await own
        signal.throwIfAborted()
      } catch (error) {
        yield { kind: 'blind', reason: toBlindReason(error, path, signal) }
        return
      }
      const covered = ring.covered()
      // A file without lines has no first time; the caller handles that.
      if (covered !== null) yield { kind: 'looking', from: covered.from, to: null }
      yield* ring.lines(scope)
    },
  }
}

type Following = { readonly path: string; readonly ring: AuditLogRing; readonly limits: FollowLimits }

async function readOn({ path, ring, limits }: Following, mark: Mark | null): Promise<Mark | null> {
  await using file = await open(path)
  const current = await describe(path, file)
  const isSame = mark !== null && current.head.equals(mark.head) && current.size >= mark.offset
  const rotated = mark === null || isSame ? [] : await piecesSince(path, mark)
  if (rotated === null) ring.interrupt()
  const pieces = [...(rotated ?? []), { ...current, offset: isSame ? mark.offset : 0 }]
  const unread = pieces.reduce((sum, piece) => sum + piece.size - piece.offset, 0)
  if (unread > limits.unreadBytes) {
    ring.interrupt()
    const offset = Math.max(0, current.size - limits.unreadBytes)
    return readPiece({ ...current, offset }, ring, { isCut: offset > 0 })
  }
  let reached = mark
  for (const piece of pieces) {
    // A file that has just started cannot be identified yet.
    if (piece.head.length === HEAD_BYTES) reached = await readPiece(piece, ring, { isCut: false })
  }
  return reached
}

async function readPiece(
  { path, head, offset }: Piece,
  ring: AuditLogRing,
  { isCut }: { readonly isCut: boolean },
): Promise<Mark> {
  await using file = await open(path)
  return { head, offset: await readLines(file, ring, { offset, isCut }) }
}

async function readHead(file: FileHandle): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  return buffer.subarray(0, bytesRead)
}

type Described = { readonly path: string; readonly head: Buffer; readonly size: number }
type Piece = Described & { readonly offset: number }

async function describe(path: string, file: FileHandle): Promise<Described> {
  return { path, head: await readHead(file), size: (await file.stat()).size }
}

/** The rest of the file that was read last, and the files after it; null where that file is gone. */
async function piecesSince(path: string, mark: Mark): Promise<readonly Piece[] | null> {
  const found: Piece[] = []
  for (const rotated of await rotatedFiles(path)) {
    await using file = await open(rotated)
    const described = await describe(rotated, file)
    if (found.length > 0) found.push({ ...described, offset: 0 })
    else if (described.head.equals(mark.head)) found.push({ ...described, offset: mark.offset })
  }
  return found.length === 0 ? null : found
}

/** The API server puts the time into the name, `audit-2026-11-16T07-00-00.000.log`; logrotate a number, the least for the latest. */
async function rotatedFiles(path: string): Promise<readonly string[]> {
  const [folder, name] = [dirname(path), basename(path)]
  const [, stem = name, ending = ''] = /^(.*?)(\.[^.]*)?$/.exec(name) ?? []
  const names = await readdir(folder)
  const dated = names.filter((one) => one.startsWith(`${stem}-`) && one.endsWith(ending)).toSorted()
  const numbered = [2, 1].map((number) => `${name}.${number}`).filter((one) => names.includes(one))
  return [...dated, ...numbered].map((one) => join(folder, one))
}

/** The end of the last complete line. */
async function readLines(
  file: FileHandle,
  ring: AuditLogRing,
  { offset, isCut }: { readonly offset: number; readonly isCut: boolean },
): Promise<number> {
  const splitter = createLineSplitter(MAX_LINE_BYTES)
  let [position, read, skips] = [offset, offset, isCut]
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, read)
    if (bytesRead === 0) return position
    const chunk = buffer.subarray(0, bytesRead)
    const lastFeed = chunk.lastIndexOf(0x0a)
    if (lastFeed >= 0) position = read + lastFeed + 1
    read += bytesRead
    for (const { bytes, isOverlong } of splitter.push(chunk)) {
      if (!skips && !isOverlong) take(ring, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
      skips = false
    }
  }
}

function take(ring: AuditLogRing, text: string): void {
  if (ring.covered() !== null && !mayBeKept(text)) return
  const reading = parseJson(text)
  if (reading.kind !== 'parsed') return
  if (ring.covered() === null) ring.looked(reading.value)
  ring.offer(reading.value, () => text)
}

import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { PodLog } from '#/ports/node-agents.ts'
import type { CgroupCopy } from '#/ports/this-host.ts'
import { parseJson } from '#/core/evidence/bundle-json.ts'

/** What the node had of a pod that has ended: the ends of its logs and its last counters. */
export type EndedPod = {
  readonly uid: string
  readonly keptAt: number
  readonly logs: readonly PodLog[]
  readonly counters: readonly CgroupCopy[]
}

const FORMAT = 1
const LINE_FEED = 0x0a
const LONGEST_HEAD = 2000

const head = z.object({ format: z.literal(FORMAT), bytes: z.int().min(0), sha256: z.string() })
const document = z.object({
  uid: z.string().min(1),
  keptAt: z.number(),
  logs: z.array(z.object({ container: z.string(), previous: z.boolean(), text: z.string(), cut: z.boolean() })),
  counters: z.array(
    z.object({
      container: z.string().nullable(),
      files: z.record(z.string(), z.string()),
      readAt: z.number().nullable(),
    }),
  ),
})

/** The first line has the length and the sum of the rest: a file that a crash cut short is recognised, wherever it was cut. */
export function writeEndedPod({ uid, keptAt, logs, counters }: EndedPod): Buffer {
  const copies = counters.map(({ container, files, readAt }) => ({
    container,
    files: Object.fromEntries(files),
    readAt: readAt ?? null,
  }))
  const body = Buffer.from(JSON.stringify({ uid, keptAt, logs, counters: copies }))
  const sum = { format: FORMAT, bytes: body.length, sha256: sha256(body) }
  return Buffer.concat([Buffer.from(`${JSON.stringify(sum)}\n`), body])
}

/** Null if it is not whole. */
export function readEndedPod(bytes: Buffer): EndedPod | null {
  const feed = bytes.subarray(0, LONGEST_HEAD).indexOf(LINE_FEED)
  if (feed < 0) return null
  const sum = readAs(head, bytes.subarray(0, feed))
  const body = bytes.subarray(feed + 1)
  if (sum === null || body.length !== sum.bytes || sha256(body) !== sum.sha256) return null
  const read = readAs(document, body)
  if (read === null) return null
  const counters = read.counters.map(({ container, files, readAt }) => ({
    container,
    files: new Map(Object.entries(files)),
    ...(readAt === null ? {} : { readAt }),
  }))
  return { uid: read.uid, keptAt: read.keptAt, logs: read.logs, counters }
}

function readAs<S extends z.ZodType>(schema: S, bytes: Buffer): z.output<S> | null {
  const reading = parseJson(bytes.toString('utf8'))
  const checked = reading.kind === 'malformed' ? null : schema.safeParse(reading.value)
  return checked?.success === true ? checked.data : null
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

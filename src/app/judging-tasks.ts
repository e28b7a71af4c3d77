import { shrinkEvents } from '#/adapters/audit-log/shrink-events.ts'
import { aloneInMemory } from '#/adapters/workers/parcel.ts'
import type { Parcel } from '#/adapters/workers/parcel.ts'
import type { JudgedDeath } from '#/core/recorder/judged-death.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import { makeJudge, packEvidence, redactToBytes } from './judging.ts'

/** What the threads do for the recorder and for the API. */

export type Redacting = { readonly path: string; readonly content: Uint8Array }
export type Judging = { readonly files: ReadonlyMap<string, Uint8Array> }
export type Packing = { readonly evidence: readonly EvidencePart[] }

const judge = makeJudge()
/** A judgement that nobody wants ends with its thread. */
const UNSTOPPED = new AbortController().signal

export const judgingTasks = {
  redact: async (file: Redacting): Promise<Parcel<Redacting>> => {
    const { path, content } = await redactToBytes(file)
    const alone = aloneInMemory(content)
    return { value: { path, content: alone }, transfer: [alone.buffer] }
  },
  judge: async ({ files }: Judging): Promise<Parcel<JudgedDeath | null>> => {
    return { value: await judge(files, UNSTOPPED), transfer: [] }
  },
  'read-audit-events': async ({ content }: { readonly content: Uint8Array }): Promise<Parcel<unknown>> => {
    return { value: shrinkEvents(content), transfer: [] }
  },
  pack: async ({ evidence }: Packing): Promise<Parcel<Uint8Array | string>> => {
    const packed = await packEvidence(evidence)
    if (typeof packed === 'string') return { value: packed, transfer: [] }
    const alone = aloneInMemory(packed)
    return { value: alone, transfer: [alone.buffer] }
  },
}

export type JudgingTasks = typeof judgingTasks

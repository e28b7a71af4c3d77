import { parseMeta } from '#/core/evidence/bundle-meta.ts'
import type { BundleMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'

/** A bundle that `collect` made of one death: its files as text, by their paths. */
export type Recording = { readonly name: string; readonly files: ReadonlyMap<string, string> }

/** A recording is ours, so that one that cannot be played is a mistake of ours. */
export class UnplayableRecording extends Error {
  constructor(name: string, why: string) {
    super(`the recording ${name} cannot be played: ${why}`)
  }
}

export function readMeta({ name, files }: Recording): BundleMeta {
  const reading = parseMeta(files.get(bundlePath.meta) ?? '')
  if (reading.kind === 'unreadable') throw new UnplayableRecording(name, reading.why)
  return reading.meta
}

export function readItems({ files }: Pick<Recording, 'files'>, resource: string): readonly unknown[] {
  const text = files.get(bundlePath.resource(resource))
  return text === undefined ? [] : listAt(JSON.parse(text), 'items')
}

/** The pod that died. */
export function readPod(recording: Recording): object {
  const { uid } = readMeta(recording).subject
  const pod = readItems(recording, 'pods').find((one) => uid !== undefined && textAt(one, 'metadata', 'uid') === uid)
  if (typeof pod === 'object' && pod !== null) return pod
  throw new UnplayableRecording(recording.name, 'the pod that died is not in it')
}

export function splitLines(text: string | undefined): readonly string[] {
  return (text ?? '').split('\n').filter((line) => line !== '')
}

import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openParts } from '#/adapters/bundle/open-parts.ts'
import { readRecordings } from '#/app/replay-recordings.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { readMeta, readPod } from '#/sim/replay/recording.ts'
import type { Recording } from '#/sim/replay/recording.ts'
import { renameRecording } from '#/sim/replay/rename-recording.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'
import { judgeKnown } from '#test/bundles/open-known.ts'

const { signal } = new AbortController()
const all = await readRecordings(path.resolve('test', 'bundles', 'recorded'), signal)
const playable = all.filter((recording) => readMeta(recording).subject.uid !== undefined)

const DAYS = 86_400
const cast = {
  suffix: 'zz9zz',
  node: 'another-node',
  jobOffset: 70_000,
  githubUrl: 'http://127.0.0.1:9',
  shiftSeconds: 100 * DAYS + 3661,
}

async function judged({ files }: Recording) {
  const bytes = new Map([...files].map(([name, text]) => [name, Buffer.from(text)]))
  const opening = openParts(bytes, signal)
  if (opening.kind === 'refused') throw new Error(opening.why)
  const found = await judgeKnown(opening.bundle)
  return { cause: found?.verdict.cause, confidence: found?.verdict.confidence, actor: found?.verdict.actor }
}

describe('a renamed recording', () => {
  it.each(playable)('has the same verdict: $name', async (recording) => {
    expect(await judged(renameRecording(recording, cast))).toEqual(await judged(recording))
  })

  it.each(playable)('has no name, UID, node, time or job of the old one: $name', (recording) => {
    const { subject } = readMeta(recording)
    const renamed = renameRecording(recording, cast)
    const text = [...renamed.files].flat().join('\n')
    const uid = subject.uid ?? ''
    const container = textAt(listAt(readPod(recording), 'status', 'containerStatuses')[0], 'containerID')
    const names = [subject.pod, uid, uid.replaceAll('-', '_'), subject.node, container?.replace(/^\w+:\/\//, '')]
    expect(names.filter((old) => old !== undefined && text.includes(old))).toEqual([])
    expect([...text.matchAll(OLD_TIMES)].map(([found]) => found)).toEqual([])
    if (subject.jobId === undefined) return
    const paths = [...renamed.files.keys()]
    expect(paths).toContain(bundlePath.githubJob(subject.jobId + cast.jobOffset))
    expect(paths).not.toContain(bundlePath.githubJob(subject.jobId))
  })
})

/** In every form in which a recording has them. */
const OLD_TIMES =
  /.{0,20}(?:2026-11-16[T ]\d\d:\d\d:\d\d|\b[IWE]1116 \d\d:|11\/16\/2026 \d|20261116-\d{6}|"1794\d{12}").{0,20}/g

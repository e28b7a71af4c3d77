import { listAt, textAt } from '#/core/basics/fields.ts'
import { generateHex, generateUid } from './generate-id.ts'
import { readMeta, readPod } from './recording.ts'
import type { Recording } from './recording.ts'
import { shiftTimes } from './shift-times.ts'

/** Who plays a recording this time, so that the same one can be played again beside it. */
export type Cast = {
  /** The last part of the pod's name. */
  readonly suffix: string
  /** The node that it is on; null leaves the recorded one. */
  readonly node: string | null
  /** Added to the numbers of GitHub's jobs and runs. */
  readonly jobOffset: number
  /** Where GitHub's API is; null leaves what is recorded. */
  readonly githubUrl: string | null
  readonly shiftSeconds: number
}

const UID = /[0-9a-f]{8}([-_])[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}/g
const RECORDED_API = /http:\/\/127\.0\.0\.1:\d+\/(repos\/)?/g
/** Reserved: it leads nowhere. */
const GITHUB_PAGES = 'https://github.example/'

/**
 * The same death at another time, of another pod: every time in every document is moved alike, and names, UIDs, container
 * ids and the numbers of jobs are new everywhere. What was true of the recording is true of what comes out.
 */
export function renameRecording(
  recording: Recording,
  cast: Cast,
  isWanted: (path: string) => boolean = () => true,
): Recording {
  const meta = readMeta(recording)
  const shift = { seconds: cast.shiftSeconds, year: new Date(meta.collectedAt).getUTCFullYear() }
  const rename = renaming(recording, cast)
  const renumber = renumbering(recording, cast)
  const wanted = [...recording.files].filter(([path]) => isWanted(path))
  const files = wanted.map(([path, text]) => {
    const renamed = rename(shiftTimes(text, shift))
    const isGitHubs = path.startsWith('github/') || path === 'meta.json'
    return [rename(isGitHubs ? renumber(path) : path), isGitHubs ? renumber(renamed) : renamed] as const
  })
  return { name: recording.name, files: new Map(files) }
}

function renaming(recording: Recording, { suffix, node, shiftSeconds }: Cast): (text: string) => string {
  const pod = readPod(recording)
  // The same names may be played again at another time, and are others then.
  const salt = `${suffix}/${shiftSeconds}`
  const known = new Map<string, string>()
  const uid = (old: string, separator: string): string => {
    const plain = old.replaceAll(separator, '-')
    const fresh = known.get(plain) ?? generateUid(`${salt}/${plain}`)
    known.set(plain, fresh)
    return fresh.replaceAll('-', separator)
  }
  const names = new Map<string, string>()
  const name = textAt(pod, 'metadata', 'name') ?? ''
  names.set(name, `${name.slice(0, name.lastIndexOf('-') + 1)}${suffix}`)
  for (const id of containerIds(pod)) names.set(id, generateHex(`${salt}/${id}`))
  const recordedNode = textAt(pod, 'spec', 'nodeName')
  if (node !== null && recordedNode !== null) names.set(recordedNode, node)
  return (text) => {
    let renamed = text.replaceAll(UID, uid)
    for (const [old, fresh] of names) renamed = renamed.replaceAll(old, fresh)
    return renamed
  }
}

function containerIds(pod: object): readonly string[] {
  const statuses = ['initContainerStatuses', 'containerStatuses'].flatMap((list) => listAt(pod, 'status', list))
  return statuses.flatMap((status) => /[0-9a-f]{64}$/.exec(textAt(status, 'containerID') ?? '')?.[0] ?? [])
}

function renumbering({ files }: Recording, { jobOffset, githubUrl }: Cast): (text: string) => string {
  const numbers = [...files.keys()].flatMap((path) => /^github\/(?:jobs|runs)\/(\d+)\.json$/.exec(path)?.[1] ?? [])
  const pattern = new RegExp(String.raw`\b(?:${numbers.join('|')})\b`, 'g')
  return (text) => {
    const renamed = numbers.length === 0 ? text : text.replaceAll(pattern, (id) => String(Number(id) + jobOffset))
    if (githubUrl === null) return renamed
    return renamed.replaceAll(RECORDED_API, (_, api?: string) =>
      api === undefined ? GITHUB_PAGES : `${githubUrl}/${api}`,
    )
  }
}

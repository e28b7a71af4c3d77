import { isJsonObject, parseJson } from './bundle-json.ts'

/** Whose log it is, as tools write it before each line. */
export type LogOwner = {
  readonly namespace: string | null
  readonly pod: string | null
  readonly container: string | null
}

/** One line of the file: the time that the tool wrote, the program's text, and whether the line goes on in the next one. */
type Piece = {
  readonly time: string | null
  readonly text: string
  readonly stream: string
  readonly isPart: boolean
}
type Wrapper = (line: string) => Piece | null

const LOOKED_AT = 50
/** A file of such a tool has hardly any line of another form; a program that logs JSON has no line of the tool. */
const MOST_LINES = 0.8

/**
 * The log as `kubectl logs --timestamps` prints it, whatever tool saved it: docker's json-file, CRI files, Loki and
 * Fluent Bit exports, stern, `kubectl logs --prefix`. Parts of a line are joined. Any other text stays as it is.
 */
export function unwrapLog(text: string, owner: LogOwner): string {
  const lines = text.replace('\uFEFF', '').split('\n')
  const first = lines.filter((line) => line.trim() !== '').slice(0, LOOKED_AT)
  const wrapper = wrappersFor(owner).find((one) => fits(one, first))
  return wrapper === undefined ? text : joinPieces(lines, wrapper)
}

function fits(wrapper: Wrapper, lines: readonly string[]): boolean {
  const count = lines.filter((line) => wrapper(line) !== null).length
  return count > 0 && count >= lines.length * MOST_LINES
}

function wrappersFor(owner: LogOwner): readonly Wrapper[] {
  const prefixes = listPrefixes(owner)
  return [readJson, readCri, (line) => readPrefixed(line, prefixes)]
}

type Entry = { readonly time: string | null; readonly text: string }

function joinPieces(lines: readonly string[], wrapper: Wrapper): string {
  const entries: Entry[] = []
  const begun = new Map<string, Entry>()
  for (const raw of lines) {
    const piece = wrapper(raw)
    if (piece === null) {
      if (raw.trim() !== '') entries.push({ time: null, text: raw })
      continue
    }
    const before = begun.get(piece.stream)
    const entry = { time: before?.time ?? piece.time, text: (before?.text ?? '') + piece.text }
    if (piece.isPart) begun.set(piece.stream, entry)
    else begun.delete(piece.stream)
    if (!piece.isPart) entries.push(entry)
  }
  return inOrder([...entries, ...begun.values()])
    .map(({ time, text }) => (time === null ? `${text}\n` : `${time} ${text}\n`))
    .join('')
}

/** Loki's tools print the newest line first unless they are asked otherwise. */
function inOrder(entries: readonly Entry[]): readonly Entry[] {
  const times = entries.flatMap(({ time }) => (time === null ? [] : [Date.parse(time)]))
  const [first, last] = [times[0], times.at(-1)]
  return first !== undefined && last !== undefined && first > last ? entries.toReversed() : entries
}

const CRI = /^(\d{4}-\d\d-\d\dT\S+) (stdout|stderr) ([FP])(?::\S*)?(?: (.*))?$/

function readCri(line: string): Piece | null {
  const match = CRI.exec(withoutReturn(line))
  if (match === null) return null
  const [, time = '', stream = '', whole, text = ''] = match
  return { time, text, stream, isPart: whole === 'P' }
}

/** Members that hold the text, in the order of preference: docker and Fluent Bit, Loki, stern. */
const TEXTS = ['log', 'line', 'message'] as const
const TIMES = ['time', 'timestamp', '@timestamp', 'ts'] as const
/** A program that logs JSON has a message and a level; only a tool that saves logs says where the line came from. */
const ORIGINS = ['stream', 'labels', 'podName', 'kubernetes', '_p'] as const

function readJson(line: string): Piece | null {
  if (!line.startsWith('{')) return null
  const read = parseJson(line)
  const object = read.kind === 'parsed' && isJsonObject(read.value) ? read.value : null
  if (object === null || !ORIGINS.some((key) => object[key] !== undefined)) return null
  const key = TEXTS.find((one) => typeof object[one] === 'string')
  if (key === undefined) return null
  const text = String(object[key])
  const time = TIMES.map((one) => object[one]).find((value) => typeof value === 'string')
  const stream = typeof object['stream'] === 'string' ? object['stream'] : ''
  const isDocker = key === 'log' && typeof object['time'] === 'string' && object['_p'] === undefined
  const isPart = object['_p'] === undefined ? isDocker && !text.endsWith('\n') : object['_p'] === 'P'
  return { time: toTime(time), text: text.replace(/\r?\n$/, ''), stream, isPart }
}

function toTime(value: string | undefined): string | null {
  return value !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) ? value : null
}

/** `kubectl logs --prefix`, and stern with and without the namespace. */
function listPrefixes({ namespace, pod, container }: LogOwner): readonly string[] {
  if (pod === null || container === null) return []
  return [
    `[pod/${pod}/${container}] `,
    `${pod} ${container} `,
    `${pod} › ${container} `,
    ...(namespace === null ? [] : [`${namespace} ${pod} ${container} `]),
  ]
}

const TIMED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*) ?(.*)$/

function readPrefixed(line: string, prefixes: readonly string[]): Piece | null {
  const bare = withoutReturn(line)
  const prefix = prefixes.find((one) => bare.startsWith(one))
  if (prefix === undefined) return null
  const rest = bare.slice(prefix.length)
  const [, time = null, text = rest] = TIMED.exec(rest) ?? []
  return { time, text, stream: '', isPart: false }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

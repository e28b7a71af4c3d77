import type { Files } from '#test/bundles/mutate-files.ts'
import type { Shape } from '#test/bundles/secret-shapes.ts'

/** Puts secrets after the existing text, so that a signature still matches the line. */
export type Planting = {
  /** The next one to plant. */
  readonly next: () => Shape
  /** Where a program might cut the line: the secret spans that place. */
  readonly cutAt: number | null
}

/** How many characters of the secret are before the cut. */
const BEFORE_CUT = 14

type Json = string | number | boolean | null | Json[] | Fields
type Fields = { [key: string]: Json }

/** The same bundle with a secret in every text of its sources, and in the places that usually hold secrets. */
export function plantSecrets(files: Files, planting: Planting): Files {
  const planted = [...files].map(([path, bytes]): [string, Uint8Array] => {
    const text = Buffer.from(bytes).toString('utf8')
    return [path, Buffer.from(plantInFile(path, text, planting))]
  })
  return new Map([...planted, ...furtherFiles(files, planting)])
}

function plantInFile(path: string, text: string, planting: Planting): string {
  if (path === 'meta.json') return JSON.stringify(plantInMeta(JSON.parse(text) as Json, planting))
  if (path.endsWith('.json')) return JSON.stringify(plantInDocument(JSON.parse(text) as Json, planting))
  if (path.endsWith('.jsonl'))
    return eachLine(text, (line) => JSON.stringify(plantInDocument(JSON.parse(line) as Json, planting)))
  if (path.startsWith('cgroup/')) return `${text}${planting.next().line}\n`
  return eachLine(text, (line) => plantInLine(line, planting))
}

function eachLine(text: string, change: (line: string) => string): string {
  return text
    .split('\n')
    .map((line) => (line.trim() === '' ? line : change(line)))
    .join('\n')
}

/** A block follows its line, with the same time. */
function plantInLine(line: string, planting: Planting): string {
  const shape = planting.next()
  const said = behind(line, shape, { ...planting, before: /^\d{4}-\S+ /.exec(line)?.[0].length ?? 0 })
  if (shape.block === undefined || planting.cutAt !== null) return said
  const stamp = /^\d{4}-\S+ /.exec(line)?.[0] ?? ''
  return [said, ...shape.block.split('\n').map((part) => `${stamp}${part}`)].join('\n')
}

/** `before` characters of the text are not part of what is shown. */
function behind(
  text: string,
  shape: Shape,
  { cutAt, before = 0 }: Pick<Planting, 'cutAt'> & { before?: number },
): string {
  const start = Math.max(0, shape.line.indexOf(shape.bodies[0] ?? ''))
  const gap = cutAt === null ? 1 : Math.max(1, cutAt - BEFORE_CUT - start - (text.length - before))
  return `${text}${' '.repeat(gap)}${shape.line}`
}

/** Fields in which people and programs write sentences. */
const SAID = new Set(['message', 'note', 'MESSAGE', 'title', 'raw_details', 'userAgent', 'requestURI', 'description'])

function plantInDocument(value: Json, planting: Planting): Json {
  if (Array.isArray(value)) return value.map((item) => plantInDocument(item, planting))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]): [string, Json] => {
    if (typeof item === 'string' && SAID.has(key)) return [key, sentence(key, item, value, planting)]
    return [key, plantInDocument(item, planting)]
  })
  return withHomes(Object.fromEntries(entries), planting)
}

/** An event shows its reason before its message; journald prints a message with colours as bytes. */
function sentence(key: string, text: string, holder: Fields, planting: Planting): Json {
  const reason = typeof holder['reason'] === 'string' ? holder['reason'].length + 2 : 0
  const said = behind(text, planting.next(), { ...planting, before: -reason })
  const isAsBytes = key === 'MESSAGE' && text.length % 5 === 0
  return isAsBytes ? [...Buffer.from(said)] : said
}

/** Places that usually hold secrets: the environment, arguments and annotations of objects, the record of a runner, names of steps. */
function withHomes(object: Fields, { next }: Planting): Json {
  if (typeof object['image'] === 'string' && object['containerID'] === undefined) return containerWith(object, next)
  if (Array.isArray(object['steps'])) return jobWith(object, object['steps'], next)
  if (object['verb'] !== undefined && object['user'] !== undefined) return auditLineWith(object, next)
  return object['metadata'] === undefined ? object : objectWith(object, next)
}

function containerWith(container: Fields, next: Planting['next']): Json {
  const [named, unnamed, option] = [next(), next(), next()]
  const env = [
    { name: 'DEPLOY_TOKEN', value: named.bodies[0] ?? '' },
    { name: 'SETTINGS', value: unnamed.line },
  ]
  return { ...container, env, args: ['--token', option.bodies[0] ?? ''] }
}

function jobWith(job: Fields, steps: readonly Json[], next: Planting['next']): Json {
  const texts = steps.map((step) => withName(toRecord(step), next()))
  return { ...job, steps: texts, name: behindName(job['name'], next()) }
}

function auditLineWith(line: Fields, next: Planting['next']): Json {
  const requestObject = { ...toRecord(line['requestObject']), note: next().line }
  return { ...line, annotations: { 'example.com/note': next().line }, requestObject }
}

function objectWith(object: Fields, next: Planting['next']): Json {
  const metadata = toRecord(object['metadata'])
  const annotations = { ...toRecord(metadata['annotations']), 'example.com/note': next().line, ...lastApplied(next()) }
  const isRunner = object['kind'] === 'EphemeralRunner'
  const record = isRunner ? { runnerJITConfig: next().bodies[0] ?? '', message: next().line } : {}
  const status = object['status'] === undefined ? {} : { status: { ...toRecord(object['status']), ...record } }
  return { ...object, metadata: { ...metadata, annotations }, ...status }
}

function withName(step: Fields, shape: Shape): Json {
  return { ...step, name: behindName(step['name'], shape) }
}

function behindName(name: Json | undefined, { line }: Shape): string {
  return `${typeof name === 'string' ? name : ''} ${line}`
}

function lastApplied(shape: Shape): Fields {
  const applied = { spec: { containers: [{ env: [{ name: 'API_KEY', value: shape.bodies[0] ?? '' }] }] } }
  return { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(applied) }
}

function isRecord(value: Json): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toRecord(value: Json | undefined): Fields {
  return value !== undefined && isRecord(value) ? value : {}
}

function plantInMeta(meta: Json, { next }: Planting): Json {
  if (!isRecord(meta)) return meta
  const texts = Object.entries(toRecord(meta['sources'])).map(([source, answer]): [string, Json] => {
    const { reason = '', ...rest } = toRecord(answer)
    return [source, { ...rest, reason: behindName(reason, next()) }]
  })
  return { ...meta, sources: Object.fromEntries(texts) }
}

/** Sources that a bundle may hold and no verdict reads. */
function furtherFiles(files: Files, { next }: Planting): readonly [string, Uint8Array][] {
  const text = (path: string, content: string): [string, Uint8Array] => [path, Buffer.from(content)]
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a' },
    data: { x: Buffer.from(next().line).toString('base64') },
    stringData: { y: next().line },
  }
  return [
    text('kubernetes/secrets.json', JSON.stringify({ items: [secret] })),
    text(
      'kubernetes/configz/n.json',
      JSON.stringify({ kubeletconfig: { note: next().line, clusterSecret: next().line } }),
    ),
    text('processes/n/p.txt', `    7       1    90 ./run.sh ${next().line}\n`),
    text('host/n/df', `${next().line}\n`),
    text('gitlab/config.toml', `[[runners]]\n  token = "${next().bodies[0]}"\n  note = '${next().line}'\n`),
    text('fleet.yaml', `note: |\n  ${next().line}\n`),
  ].filter(([path]) => !files.has(path))
}

/** Appends text to every mention of a name, in paths too. */
export function renameEverywhere(files: Files, from: string, to: string): Files {
  const renamed = [...files].map(([path, bytes]): [string, Uint8Array] => [
    path.replaceAll(from, to),
    Buffer.from(Buffer.from(bytes).toString('utf8').replaceAll(from, to)),
  ])
  return new Map(renamed)
}

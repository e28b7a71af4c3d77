import { Document, isMap, isScalar, isSeq } from 'yaml'
import type { Node } from 'yaml'
import type { DraftNote, FleetDraft } from '#/core/fleet/draft/draft-fleet-file.ts'
import { FLEET_API_VERSION } from './fleet-schema.ts'

/** Mappings and lists that read better on one line. */
const ON_ONE_LINE: ReadonlySet<string> = new Set([
  'metadata',
  'selector',
  'envelope',
  'authoritative',
  'copies',
  'namespaces',
  'runnerNamespaces',
  'scaleSets',
  'requiredVolumes',
  'tokenSecret',
])

const TAIL = ` Not found in the cluster; see docs/fleet-file.md, and signalbox fleet schema for every key:
   cache:        # what a runner needs to reach its build cache
     env: [CACHE_SERVER]
     secret: { namespace: arc-runners, name: cache-credentials }
   thresholds:   # of the audits
     podStart: 5m`

/** The fleet file as YAML, each guess with a comment. `source` names where it comes from. */
export function printFleetFile({ file, notes }: FleetDraft, source: string): string {
  const document = new Document({
    apiVersion: FLEET_API_VERSION,
    kind: 'Fleet',
    metadata: { name: 'fleet' },
    spec: file,
  })
  const head = notes.filter(({ path }) => path.length === 0).map(({ text }) => text)
  document.commentBefore = commented([
    `A draft by signalbox fleet init, from ${source}.`,
    'It describes the current state. Correct it to the intended one, check the comments, and run: signalbox fleet check FILE',
    ...head,
  ])
  flatten(document.contents)
  for (const note of notes) if (note.path.length > 0) comment(document, note)
  document.comment = TAIL
  return document.toString({ lineWidth: 0, flowCollectionPadding: true })
}

function commented(lines: readonly string[]): string {
  return lines
    .flatMap((line) => line.split('\n'))
    .map((line) => ` ${line}`)
    .join('\n')
}

function comment(document: Document, { path, text }: DraftNote): void {
  const parent = document.getIn(['spec', ...path.slice(0, -1)], true)
  const last = path.at(-1)
  if (isSeq(parent) && typeof last === 'number') annotate(parent.items[last], text)
  if (!isMap(parent)) return
  const pair = parent.items.find(({ key }) => isScalar(key) && key.value === last)
  annotate(pair?.key, text)
}

function annotate(node: unknown, text: string): void {
  if (isMap(node) || isScalar(node)) node.commentBefore = commented([text])
}

function flatten(node: Node | null): void {
  if (isSeq(node)) for (const item of node.items) flatten(item as Node)
  if (!isMap(node)) return
  for (const { key, value } of node.items) {
    const isFlat = isScalar(key) && typeof key.value === 'string' && ON_ONE_LINE.has(key.value)
    if (isFlat && (isMap(value) || isSeq(value))) value.flow = true
    else flatten(value as Node)
  }
}

import type { Chance } from '#test/bundles/mutate-chance.ts'
import { onFile } from '#test/bundles/mutate-files.ts'
import type { Changed, Mutation } from '#test/bundles/mutate-files.ts'

/** As text: some are not JSON, some can only be written in JSON. */
const ODD_VALUES = [
  'null',
  'true',
  '0',
  '-1',
  '0.5',
  '1e12',
  '-1e12',
  '1e308',
  '1e999',
  '9007199254740993',
  'NaN',
  'undefined',
  '""',
  '"x"',
  '"137"',
  String.raw`"\u0000\u001b[2J\u202e"`,
  String.raw`"\ud800"`,
  '"(((((.*)+)+$"',
  '"$&$1"',
  '"../../../etc/passwd"',
  '"__proto__"',
  '"2026-06-06T21:35:06"',
  `"${'y'.repeat(100_000)}"`,
  '[]',
  '{}',
  '[null]',
  '[[[]]]',
  '{"":null}',
  '[1,"a",{}]',
  '{"__proto__":{"name":"polluted","kind":"terminated"}}',
  '{"constructor":{"prototype":1},"toString":1,"valueOf":null}',
  '{"length":1000000000}',
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
]

const JSON_FILES = /\.jsonl?$/
const PLACE = '@place-of-the-odd-value@'

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Fields that the reading of evidence looks at; chance alone would mostly hit others. */
const LOOKED_AT = new Set(
  `metadata name namespace uid labels annotations creationTimestamp deletionTimestamp deletionGracePeriodSeconds ownerReferences
  spec nodeName containers resources limits memory runtimeClassName terminationGracePeriodSeconds activeDeadlineSeconds taints
  status phase reason message startTime conditions type lastTransitionTime containerStatuses initContainerStatuses containerID image
  restartCount state lastState waiting running terminated exitCode signal startedAt finishedAt nodeInfo bootID
  involvedObject regarding kind firstTimestamp lastTimestamp eventTime count series source component host reportingComponent items
  stage verb user username userAgent objectRef resource subresource requestReceivedTimestamp requestObject responseStatus code
  id run_id conclusion runner_name started_at completed_at created_at steps number
  MESSAGE __REALTIME_TIMESTAMP __MONOTONIC_TIMESTAMP _SOURCE_MONOTONIC_TIMESTAMP _BOOT_ID SYSLOG_IDENTIFIER _TRANSPORT _HOSTNAME PRIORITY _PID
  collectedAt subject sources ok from to schemaVersion pod jobId runner node`.split(/\s+/),
)

type Found = { readonly holder: Json[] | { [key: string]: Json }; readonly key: string; readonly way: string }

/** Every place in the document that holds a value. */
function* placesIn(value: Json, way = ''): Generator<Found> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    yield { holder: value, key, way: `${way}.${key}` }
    yield* placesIn(item, `${way}.${key}`)
  }
}

/** Undefined for what is no JSON, and for what nests so deep that only the program under test has to bear it. */
function parse(text: string): Json | undefined {
  if (/\[{60}|(?:\{"a":){60}/.test(text)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** One JSON document, or one line where each is a document. */
function oddValueIn(text: string, chance: Chance): Changed | null {
  const document = parse(text)
  if (document === undefined) return null
  const places = [...placesIn(document)]
  const looked = places.filter(({ key }) => LOOKED_AT.has(key))
  const chosen = looked.length > 0 && !chance.isOneIn(5) ? looked : places
  const odd = chance.pick(ODD_VALUES)
  if (chosen.length === 0) return { bytes: odd, description: `all of it = ${odd.slice(0, 60)}` }
  const { holder, key, way } = chance.pick(chosen)
  Object.defineProperty(holder, key, { value: PLACE, enumerable: true })
  return { bytes: JSON.stringify(document).replace(`"${PLACE}"`, () => odd), description: `${way} = ${odd.slice(0, 60)}` }
}

function oddValue(bytes: Uint8Array, chance: Chance): Changed | null {
  const text = Buffer.from(bytes).toString('utf8')
  if (parse(text) !== undefined) return oddValueIn(text, chance)
  const lines = text.split('\n')
  const index = chance.int(lines.length)
  const changed = oddValueIn(lines[index] ?? '', chance)
  if (changed === null) return null
  const content = typeof changed.bytes === 'string' ? changed.bytes : ''
  return { bytes: lines.with(index, content).join('\n'), description: `line ${index + 1}: ${changed.description}` }
}

/** Replaces some or all of what the pattern finds in the text. */
function replaceSome(pattern: RegExp, values: readonly string[]) {
  return (bytes: Uint8Array, chance: Chance): Changed | null => {
    const text = Buffer.from(bytes).toString('utf8')
    const found = text.match(pattern)?.length ?? 0
    if (found === 0) return null
    const value = chance.pick(values)
    const only = chance.isOneIn(3) ? null : chance.int(found)
    let index = -1
    const replaced = text.replace(pattern, (whole) => {
      index += 1
      return only === null || index === only ? value : whole
    })
    return {
      bytes: replaced,
      description: `${only === null ? 'every' : `the ${only + 1}.`} ${pattern.source.slice(0, 30)} = ${value.slice(0, 60)}`,
    }
  }
}

const ODD_TIMES = [
  '9999-12-31T23:59:59Z',
  '+275760-09-13T00:00:00.000Z',
  '-271821-04-20T00:00:00.000Z',
  '0000-00-00T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '1970-01-01T00:00:00Z',
  '2026-06-06T21:35:06',
  '2026-06-06 21:35:06',
  '2026-02-30T25:61:61Z',
  '2026-06-06T21:35:06+99:99',
  '2026-06-06T21:35:06.123456789012345678Z',
  'yesterday',
  '1e400',
  '',
]

const ODD_IDS = [
  '',
  'containerd://',
  'docker://x',
  'cri-o://[a-z',
  '(.*)*$',
  '0'.repeat(64),
  '../../x',
  '\\\\',
  'g'.repeat(5000),
  '$&',
]

function manyPods(bytes: Uint8Array): Changed | null {
  const list = parse(Buffer.from(bytes).toString('utf8'))
  if (typeof list !== 'object' || list === null || Array.isArray(list) || !Array.isArray(list['items'])) return null
  const { items } = list
  const texts = items.map((item) => JSON.stringify(item))
  const more = Array.from({ length: 5000 }, (_, index) =>
    (texts[index % texts.length] ?? '{}').replace(/"name":"/, `"name":"p${index}-`),
  )
  const all = [...texts, ...(texts.length === 0 ? [] : more)]
  return { bytes: `{"items":[${all.join(',')}]}`, description: `${all.length} pods` }
}

function duplicateKey(bytes: Uint8Array, chance: Chance): Changed | null {
  const text = Buffer.from(bytes).toString('utf8')
  const keys = [...text.matchAll(/"\w+":/g)]
  if (keys.length === 0) return null
  const { 0: key, index } = chance.pick(keys)
  const odd = chance.pick(ODD_VALUES)
  const isAfter = chance.isOneIn(2)
  // After its own value a second one would have to be found; a second name before it says the same.
  const doubled = isAfter ? `${key}${odd},${key}` : `"__proto__":${odd},${key}`
  return {
    bytes: `${text.slice(0, index)}${doubled}${text.slice(index + key.length)}`,
    description: `${doubled.slice(0, 60)} at ${index}`,
  }
}

export const JSON_MUTATIONS: readonly Mutation[] = [
  onFile({ name: 'odd value', isLoss: false, weight: 26, fits: JSON_FILES }, oddValue),
  onFile({ name: 'odd meta', isLoss: false, weight: 3, fits: /^meta\.json$/ }, oddValue),
  onFile({ name: 'duplicate key', isLoss: false, weight: 6, fits: JSON_FILES }, duplicateKey),
  onFile(
    { name: 'odd time', isLoss: false, weight: 10 },
    replaceSome(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z/g, ODD_TIMES),
  ),
  onFile(
    { name: 'odd stamp', isLoss: false, weight: 2, fits: /^journal\// },
    replaceSome(/(?<=_TIMESTAMP" ?: ?")\d+/g, ['0', '9999999999999999', '99999999999999999999', '-1', '1.5', '']),
  ),
  onFile(
    { name: 'odd container id', isLoss: false, weight: 4, fits: /pods|journal/ },
    replaceSome(/containerd:\/\/[0-9a-f]{64}|[0-9a-f]{64}/g, ODD_IDS),
  ),
  onFile(
    { name: 'odd count', isLoss: false, weight: 2, fits: /events|cgroup/ },
    replaceSome(/(?<="count": ?)\d+|^\d+$/gm, ['1000000000000', '-1', '1e400', '0']),
  ),
  onFile(
    { name: 'odd uid', isLoss: false, weight: 3 },
    replaceSome(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, ['', '(', 'x'.repeat(5000), '*']),
  ),
  onFile({ name: 'five thousand pods', isLoss: false, weight: 0.15, fits: /^kubernetes\/pods/ }, manyPods),
]

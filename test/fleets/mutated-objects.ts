import type { Chance } from '#test/bundles/mutate-chance.ts'
import type { FleetChange } from './mutated-fleet.ts'

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
type Row = { [key: string]: Json }

const MANY = 100_000
const HOSTILE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '../../../etc/passwd',
  '\u001b[2J\u009b2J\u202e\u0007',
  '$(reboot)',
  '`reboot`; kubectl delete ns --all',
  "'; drop table findings; --",
  '\n- injected: true\n',
  '',
  ' ',
  '/',
  'a/b',
  '*',
  '(((.*)+)+)+$',
  '\ud800',
  'x'.repeat(50_000),
]

const NUMBERS = [-1, 0, 0.5, -2_147_483_648, 2_147_483_647, 1e15, -1e15, 1e300, Number.MAX_SAFE_INTEGER + 2]
const TIMES = [
  '9999-12-31T23:59:59Z',
  '+275760-09-13T00:00:00.000Z',
  '0001-01-01T00:00:00Z',
  '1970-01-01T00:00:00Z',
  '2026-02-30T25:61:61Z',
  'yesterday',
  '',
]
const QUANTITIES = ['-1', '-5Gi', '1e400', 'NaN', 'Infinity', '0', '1Zi', '9'.repeat(400), 'lots', '1.5.5', '99999Ei']

/** Fields that audits use; pure chance would mostly hit others. */
const DECIDING =
  /^(?:name|namespace|uid|labels|annotations|ownerReferences|kind|creationTimestamp|deletionTimestamp|phase|status|spec|reason|message|conditions|containers|containerStatuses|state|running|waiting|terminated|exitCode|startedAt|finishedAt|nodeName|replicas|minRunners|maxRunners|patchID|runnerId|runnerName|jobId|failures|currentRunners|template|resources|requests|limits|memory|cpu|pods|allocatable|capacity|taints|tolerations|key|operator|effect|nodeSelector|affinity|volumes|githubConfigSecret|githubConfigUrl|runnerScaleSetName|image|imagePullSecrets|command|env|value|hard|used|data|type|busy|id|runner_name|created_at|started_at|completed_at|run_url|limit|remaining|reset|resources|core|fs|availableBytes|capacityBytes|kubeletconfig|evictionHard|count|lastTimestamp|eventTime|involvedObject|items|metadata|total_count|runners|holderIdentity|renewTime|overhead|podFixed|terminationGracePeriodSeconds|version|parameters)$/

type Place = { readonly holder: Json[] | Row; readonly key: string }

function listPlaces(value: Json, found: Place[] = []): readonly Place[] {
  if (typeof value !== 'object' || value === null) return found
  for (const [key, item] of Object.entries(value)) {
    found.push({ holder: value, key })
    listPlaces(item, found)
  }
  return found
}

function parse(text: string): Json | undefined {
  if (/\[{60}|(?:\{"a":){60}/.test(text)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function put({ holder, key }: Place, value: Json): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
}

/** One row of a list, or the document: visiting every row would cost more than the audits. */
function pickRow(document: Json, chance: Chance): Json {
  const items = typeof document === 'object' && document !== null && 'items' in document ? document['items'] : document
  return Array.isArray(items) && items.length > 0 && !chance.isOneIn(12) ? chance.pick(items) : document
}

function onPlace(fitting: (place: Place) => boolean, values: (chance: Chance) => Json) {
  return (text: string, chance: Chance): string | null => {
    const document = parse(text)
    if (document === undefined) return null
    const places = listPlaces(pickRow(document, chance)).filter(fitting)
    if (places.length === 0) return null
    put(chance.pick(places), values(chance))
    return JSON.stringify(document)
  }
}

const at = ({ holder, key }: Place): Json | undefined => (holder as Row)[key]
const readText = (place: Place): string => {
  const value = at(place)
  return typeof value === 'string' ? value : ''
}
const isDeciding = ({ key }: Place): boolean => DECIDING.test(key)
const isTime = (place: Place): boolean => /^\d{4}-\d\d-\d\dT/.test(readText(place))
const isNumber = (place: Place): boolean => typeof at(place) === 'number'
const isQuantity = (place: Place): boolean => /^\d+(?:\.\d+)?(?:m|[KMGT]i?)?$/.test(readText(place))
const isFields = (place: Place): boolean => {
  const value = at(place)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const WRONG: readonly Json[] = [null, true, 0, -1, '', 'x', [], {}, [null], [[]], { '': null }, [{}], [1, 'a', {}]]

/** As file text: an object literal would set the prototype. */
const PROTOTYPE =
  '"__proto__":{"name":"polluted","labels":{"polluted":"yes"}},"constructor":{"prototype":{"polluted":1}},'

function withPrototype(text: string, chance: Chance): string | null {
  const opened = [...text.matchAll(/\{(?=\s*")/g)]
  if (opened.length === 0) return null
  const { index } = chance.pick(opened)
  return `${text.slice(0, index + 1)}${PROTOTYPE}${text.slice(index + 1)}`
}

function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
}

function withDepth(text: string, chance: Chance): string | null {
  const values = [...text.matchAll(/(?<=": ?)"[^"\\]{0,200}"/g)]
  if (values.length === 0) return null
  const { 0: value, index } = chance.pick(values)
  return `${text.slice(0, index)}${nested(chance.pick([50, 3000]))}${text.slice(index + value.length)}`
}

function manyRows(text: string, chance: Chance): string | null {
  const document = parse(text)
  if (typeof document !== 'object' || document === null) return null
  const rows = Array.isArray(document) ? document : (document['items'] ?? document['runners'])
  if (!Array.isArray(rows) || rows.length === 0) return null
  const row = chance.pick(rows)
  const isSame = chance.isOneIn(2)
  const texts = Array.from({ length: 200 }, (_, index) =>
    isSame ? JSON.stringify(row) : JSON.stringify(row).replaceAll(/"name":"/g, `"name":"m${index}-`),
  )
  rows.push(...texts.map((one) => JSON.parse(one) as Json))
  return JSON.stringify(document)
}

const DOCUMENT = /^(?!meta\.json).*\.json$/

export const OBJECT_CHANGES: readonly FleetChange[] = [
  { name: 'wrong type', weight: 20, fits: DOCUMENT, change: onPlace(isDeciding, (chance) => chance.pick(WRONG)) },
  {
    name: 'hostile name',
    weight: 10,
    fits: DOCUMENT,
    change: onPlace(
      ({ key }) => /name$/i.test(key),
      (chance) => chance.pick(HOSTILE_NAMES),
    ),
  },
  {
    name: 'hostile text',
    weight: 6,
    fits: DOCUMENT,
    change: onPlace(
      (place) => typeof at(place) === 'string',
      (chance) => chance.pick(HOSTILE_NAMES),
    ),
  },
  { name: 'odd number', weight: 10, fits: DOCUMENT, change: onPlace(isNumber, (chance) => chance.pick(NUMBERS)) },
  { name: 'odd moment', weight: 8, fits: DOCUMENT, change: onPlace(isTime, (chance) => chance.pick(TIMES)) },
  { name: 'odd quantity', weight: 8, fits: DOCUMENT, change: onPlace(isQuantity, (chance) => chance.pick(QUANTITIES)) },
  { name: 'prototype keys', weight: 8, fits: DOCUMENT, change: withPrototype },
  { name: 'deep nesting', weight: 4, fits: DOCUMENT, change: withDepth },
  { name: 'lost field', weight: 8, fits: DOCUMENT, change: onPlace(isDeciding, () => null) },
  { name: 'many rows', weight: 0.5, fits: DOCUMENT, change: manyRows },
  {
    name: 'a hundred thousand labels',
    weight: 0.1,
    fits: DOCUMENT,
    change: onPlace(isFields, () =>
      Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`k${index}`, `v${index}`])),
    ),
  },
  {
    name: 'a hundred thousand rows of nothing',
    weight: 0.05,
    fits: DOCUMENT,
    change: onPlace(
      (place) => Array.isArray(at(place)),
      () => Array.from({ length: MANY }, () => ({ name: 'x' })),
    ),
  },
]

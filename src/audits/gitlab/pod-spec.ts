import { at } from '#/core/basics/fields.ts'
import type { TomlEntry, TomlTable } from '#/core/toml/toml-value.ts'
import { findEntry, entryPosition, listTables } from './config-remark.ts'
import type { ConfigRemark } from './config-remark.ts'

const FLAG = 'FF_USE_ADVANCED_POD_SPEC_CONFIGURATION'
const PLACE = '[[runners.kubernetes.pod_spec]]'

/** Errors in pod patches, and whether they are applied at all. */
export function podSpecRemarks(runner: TomlTable, kubernetes: TomlTable): readonly ConfigRemark[] {
  const entry = findEntry(kubernetes, 'pod_spec')
  const specs = entry === null ? [] : listTables(entry.value)
  if (entry === null || specs.length === 0) return []
  return [...flagRemarks(runner, entry, specs.length), ...specs.flatMap(containerRemarks)]
}

/** Fields that hold containers: allowed in a patch, not in the TOML table. */
const CONTAINER_FIELDS = ['containers', 'initcontainers', 'init_containers'] as const

/** The container keys that have a remark; they are not reported as unknown again. */
export function containerFields(spec: TomlTable): readonly TomlEntry[] {
  return CONTAINER_FIELDS.flatMap((field) => findEntry(spec, field) ?? [])
}

function containerRemarks(spec: TomlTable): readonly ConfigRemark[] {
  const fields = containerFields(spec).map((entry): ConfigRemark => ({
    class: 'pod-spec-containers',
    at: entryPosition(entry),
    evidence: [
      `pod_spec has a field for containers; the fields of a pod_spec are name, patch, patch_path and patch_type`,
    ],
    hint: `set variables with environment = ["NAME=value"] under [[runners]]; to change a container put the YAML into patch = '''…''' of ${PLACE} with patch_type = "strategic"`,
    fields: { key: 'runners.kubernetes.pod_spec.containers' },
  }))
  return [...fields, ...mergedContainers(spec)]
}

/** A merge patch replaces the whole list, including the helper container that every job needs. */
function mergedContainers(spec: TomlTable): readonly ConfigRemark[] {
  const type = findEntry(spec, 'patch_type')?.value
  const patch = findEntry(spec, 'patch')
  if (type?.kind !== 'text' || type.value !== 'merge' || patch?.value.kind !== 'text') return []
  const text = patch.value.value
  if (!namesContainers(text) || (/\bhelper\b/.test(text) && /\bbuild\b/.test(text))) return []
  return [
    {
      class: 'pod-spec-containers',
      at: patch.at,
      evidence: [
        'a patch with patch_type merge has containers: it replaces the build and helper containers of every job',
      ],
      hint: 'set patch_type = "strategic", which changes containers by name; for variables use environment = ["NAME=value"] under [[runners]]',
      fields: { key: 'runners.kubernetes.pod_spec.patch' },
    },
  ]
}

/** At the outermost level of the YAML or JSON. */
export function namesContainers(patch: string): boolean {
  if (/^\s*\{/.test(patch)) return namesContainersInBraces(patch)
  const lines = patch.split('\n').filter((line) => /^\s*[^\s#]/.test(line))
  const indents = lines.map((line) => line.search(/\S/))
  const least = indents.reduce((low, indent) => Math.min(low, indent), Infinity)
  return lines.some((line, index) => indents[index] === least && /^\s*["']?containers["']?\s*:/.test(line))
}

function namesContainersInBraces(patch: string): boolean {
  try {
    return at(JSON.parse(patch), 'containers') !== undefined
  } catch {
    // YAML in braces needs no quotes around its keys.
    return /^\s*\{\s*containers\s*:/.test(patch)
  }
}

function flagRemarks(runner: TomlTable, entry: TomlEntry, count: number): readonly ConfigRemark[] {
  const set = flagValue(runner)
  if (set === true) return []
  return [
    {
      class: 'pod-spec-flag-missing',
      at: entryPosition(entry),
      evidence: [
        `the runner has ${count === 1 ? 'a pod_spec' : `${count} pod_spec tables`}, but ${FLAG} is ${set === false ? 'off' : 'not set'}`,
      ],
      hint: `add ${FLAG} = true under [runners.feature_flags], or "${FLAG}=true" to environment of [[runners]]: without it pod_spec is silently ignored`,
      fields: { flag: FLAG, podSpecs: count },
    },
  ]
}

/** The feature_flags table takes precedence over the variables. Null: neither sets it. */
function flagValue(runner: TomlTable): boolean | null {
  const flags = findEntry(runner, 'feature_flags')?.value
  const flag = flags?.kind === 'table' ? flags.entries.get(FLAG)?.value : undefined
  if (flag?.kind === 'flag') return flag.value
  const environment = findEntry(runner, 'environment')?.value
  const variables = environment?.kind === 'list' ? environment.items : []
  const texts = variables.flatMap((item) => (item.kind === 'text' ? [item.value] : []))
  const last = texts.findLast((text) => text.startsWith(`${FLAG}=`))
  // The same values as Go's strconv.ParseBool.
  return last === undefined ? null : /^(?:1|t|T|TRUE|true|True)$/.test(last.slice(FLAG.length + 1))
}

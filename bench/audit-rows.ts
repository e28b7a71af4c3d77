/** How many of each there are in the fleet that is audited. */
export const SIZES = { nodes: 500, pods: 50_000, sets: 40, runners: 5_000, events: 20_000, queuedJobs: 2_000 } as const

/** What stands in the recording where the large fleet has many. */
export const RECORDED = {
  node: 'runner-node-1',
  set: 'docker-build',
  runnerSet: 'docker-build-cggwt',
  runner: 'docker-build-cggwt-runner-z7mzr',
  listener: 'docker-build-b94c957d-listener',
  controller: 'arc-gha-rs-controller-54c97b67d5-kxw5c',
} as const

/** An object of the recording as kubectl prints it within a list, with marks in place of what differs from row to row. */
export type Template = string

/** What stands in place of the marks. */
type Row = {
  readonly uid: number
  readonly set?: number
  readonly runner?: number
  readonly node?: number
}

export function printRow(object: unknown): string {
  return JSON.stringify(object, null, 4).replaceAll('\n', '\n        ')
}

export function toTemplate(object: unknown): Template {
  return printRow(object)
    .replaceAll(RECORDED.runner, '@runner@')
    .replaceAll(RECORDED.set, '@set@')
    .replaceAll(RECORDED.node, '@node@')
    .replaceAll(/(?<="kind": "EphemeralRunnerSet",\s+"name": "[^"]*",\s+"uid": ")[0-9a-f]{8}/g, '@owner@')
    .replaceAll(/(?<="uid": ")[0-9a-f]{8}/g, '@uid@')
    .replaceAll('"maxRunners": 4', '"maxRunners": 200')
    .replaceAll(/(?<="runnerScaleSetId": |"runner-scale-set-id": ")42/g, '@id@')
    .replaceAll(/(?<="runnerId": )\d+/g, '@number@')
}

/** UIDs of what a set has one of, so that runners find their owner. */
const OF_SETS = 0xe000_0000

function filled(template: Template, { uid, set = 0, runner = 0, node = 0 }: Row): string {
  const marks: Readonly<Record<string, string>> = {
    '@runner@': runnerName(runner),
    '@set@': setName(set),
    '@node@': nodeName(node),
    '@uid@': hex(uid),
    '@owner@': hex(OF_SETS + set),
    '@id@': String(100 + set),
    '@number@': String(10_000 + runner),
  }
  return template.replaceAll(/@[a-z]+@/g, (mark) => marks[mark] ?? mark)
}

export const setName = (index: number): string => `lane-${String(index).padStart(2, '0')}`
export const nodeName = (index: number): string => `node-${String(index).padStart(3, '0')}`
const runnerSetName = (index: number): string => `${setName(index)}-cggwt`

/** Random ends of names have these letters only. */
const LETTERS = 'bcdfghjklmnpqrstvwxz'

function ending(index: number): string {
  const { length } = LETTERS
  return Array.from({ length: 5 }, (_, place) => LETTERS[Math.floor(index / length ** place) % length]).join('')
}

export const runnerName = (index: number): string => `${runnerSetName(index % SIZES.sets)}-runner-${ending(index)}`
/** Three of five have a job. */
export const isBusy = (index: number): boolean => index % 5 < 3

function hex(number: number): string {
  return number.toString(16).padStart(8, '0')
}

export function* rowsPerSet(template: Template): Generator<string> {
  for (let set = 0; set < SIZES.sets; set += 1) yield filled(template, { uid: OF_SETS + set, set })
}

const JOB = `"jobDisplayName": "build",
                "jobId": "b2f0c6de-1f4e-5b7a-9d57-0d2c7a9e4f10",
                "jobRepositoryName": "example-org/app",
                "jobRequestId": 7,
                "jobWorkflowRef": "example-org/app/.github/workflows/ci.yaml@refs/heads/main",
                "workflowRunId": 6001,
                "phase": "Running",`

export function* runnerRows(template: Template): Generator<string> {
  for (let index = 0; index < SIZES.runners; index += 1) {
    const row = filled(template, ofRunner(index))
    yield isBusy(index) ? row.replace('"phase": "Running",', JOB) : row
  }
}

function ofRunner(runner: number): Row {
  return { uid: runner, runner, set: runner % SIZES.sets, node: runner % SIZES.nodes }
}

export type PodTemplates = { readonly runner: Template; readonly listener: Template; readonly controller: Template }

/** The runners' pods, the listeners', the controller's; the rest are other people's, of which one in ten has ended. */
export function* podRows({ runner, listener, controller }: PodTemplates): Generator<string> {
  for (let index = 0; index < SIZES.runners; index += 1) yield filled(runner, ofRunner(index))
  yield* rowsPerSet(listener)
  yield filled(controller, { uid: OF_SETS + SIZES.sets })
  const work = controller
    .replaceAll('gha-rs-controller', 'web')
    .replaceAll('gha-runner-scale-set-', 'web-')
    .replaceAll('arc-systems', '@team@')
    .replaceAll('kxw5c', '@end@')
  const others = SIZES.pods - SIZES.runners - SIZES.sets - 1
  for (let index = 0; index < others; index += 1) {
    const row = filled(work, { uid: 0x1000_0000 + index, node: index % SIZES.nodes })
      .replaceAll('@end@', ending(index))
      .replaceAll('@team@', `team-${index % 50}`)
    yield index % 10 === 0 ? row.replace('"phase": "Running"', '"phase": "Succeeded"') : row
  }
}

export function* nodeRows(template: Template): Generator<string> {
  const large = template.replaceAll('"cpu": "2"', '"cpu": "64"')
  for (let node = 0; node < SIZES.nodes; node += 1) yield filled(large, { uid: 0x2000_0000 + node, node })
}

/** Those that were recorded about a runner, over and over, each time about another one. */
export function* eventRows(recorded: readonly Template[]): Generator<string> {
  const templates = recorded.filter((template) => template.includes('@runner@'))
  for (let index = 0; index < SIZES.events; index += 1) {
    const row = filled(templates[index % templates.length] ?? '{}', ofRunner(index % SIZES.runners))
    yield row.replace(/(?<="name": "[^"]+\.)[0-9a-f]{8}/, hex(index))
  }
}

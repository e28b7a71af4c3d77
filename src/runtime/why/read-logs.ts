import type { LogName } from '#/core/evidence/bundle-path.ts'
import type { ClueFinder } from '#/core/evidence/find-clues.ts'
import type { Stream } from '#/core/evidence/signature.ts'
import { readConsoleLine } from '#/core/evidence/guest-console.ts'
import { readLogLine } from '#/core/evidence/log-line.ts'
import { unwrapLog } from '#/core/evidence/unwrap-log.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Blind } from '#/core/basics/observed.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { Subject } from '#/core/evidence/subject.ts'
import type { Vitals } from '#/core/evidence/vitals.ts'
import type { LogExtent } from '#/core/why/evidence.ts'
import type { Fact } from '#/core/why/fact.ts'
import { clueFact, readLog } from '#/core/why/line-facts.ts'
import { knownRunnerContainer, wasRestarted } from '#/core/kubernetes/runner-container.ts'
import { readSubjectKind } from '#/core/why/subject-kind.ts'
import type { SourceState } from '#/core/why/source-state.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'
import type { Common } from '#/runtime/why/read-lists.ts'

export type LogsReading = {
  readonly clues: readonly Fact[]
  readonly vitals: readonly Vitals[]
  readonly extent: LogExtent | null
  readonly containers: ReadonlySet<string>
  readonly state: SourceState
}

type Whose = { readonly subject: Subject; readonly pod: PodFacts | null; readonly job: WorkflowJobFacts | null }

/** The log of the dead runner, the logs of its other containers, and what controllers logged about it. */
export async function readLogs(common: Common, whose: Whose, find: ClueFinder): Promise<LogsReading> {
  const { namespace, pod } = whose.subject
  const own = common.logs.filter((name) => name.pod === pod && (namespace === null || name.namespace === namespace))
  const main = mainLog(own, whose.pod)
  const read = main === null ? await whyNoLog(common, whose) : await common.bundle.log(main)
  const [others, controllers] = await Promise.all([
    Promise.all(
      own
        .filter((name) => name !== main && name.container !== main?.container)
        .map((name) => otherClues(common, name, find)),
    ),
    Promise.all(
      common.logs.filter((name) => !own.includes(name)).map((name) => controllerClues(common, name, { find, whose })),
    ),
  ])
  const clues = [...others, ...controllers].flat()
  const containers = new Set(own.map(({ container }) => container))
  const unread = { clues, vitals: [], extent: null, containers }
  if (read.kind === 'blind') return { ...unread, state: read }
  const text = read.kind === 'seen' && main !== null ? unwrapLog(read.value, main) : ''
  const log = readLog(text, { source: `logs/${namespace}/${pod}/${main?.container}`, stream: toLogStream(whose), find })
  if (isSuccessors(log.extent, whose))
    return { ...unread, state: blind('expired', 'the log belongs to a later pod of the same name') }
  return {
    clues: [...log.clues, ...clues],
    vitals: log.vitals,
    extent: log.extent,
    containers,
    state: { kind: 'looked', from: null, to: null },
  }
}

/** A listener and ARC's controller write what signatures expect of controllers; GitLab's manager and runners, what they expect of a runner. */
function toLogStream({ pod, subject }: Whose): Stream {
  const kind = readSubjectKind(pod, subject)
  return kind === 'listener' || kind === 'controller' ? 'controller-log' : 'runner-log'
}

/** The bundle may say why. */
async function whyNoLog({ bundle }: Common, { subject: { namespace, pod: name }, pod }: Whose): Promise<Blind> {
  const absent = blind('not-asked', 'no log of the runner was collected')
  const container = pod === null ? undefined : knownRunnerContainer(pod)?.name
  if (container === undefined || namespace === null || name === null) return absent
  const read = await bundle.log({ namespace, pod: name, container, previous: false })
  return read.kind === 'blind' && read.reason.code !== 'not-asked' ? read : absent
}

/** After a restart the lines of the dead runner are in the previous log. */
function mainLog(own: readonly LogName[], pod: PodFacts | null): LogName | null {
  const runner = pod === null ? null : knownRunnerContainer(pod)
  const name =
    runner?.name ?? own.find(({ container }) => container === 'runner')?.container ?? own[0]?.container ?? null
  const logs = own.filter(({ container }) => container === name)
  const isPrevious = runner === null ? logs.some(({ previous }) => previous) : wasRestarted(runner)
  return logs.find(({ previous }) => previous === isPrevious) ?? logs[0] ?? null
}

/** A log that begins after the job ended, or after it started on another pod, belongs to a later pod of the name. */
function isSuccessors(extent: LogExtent, { subject, pod, job }: Whose): boolean {
  if (pod !== null || extent.firstAt === null || job === null || !subject.isJobAsked) return false
  return beganBefore(job, extent) || (job.completedAt !== null && extent.firstAt > job.completedAt)
}

/** The job was already running when this complete log began: another pod of the same name had it. */
export function beganBefore({ startedAt }: WorkflowJobFacts, log: LogExtent | null): boolean {
  if (log === null || !log.isFromStart || log.firstAt === null || startedAt === null) return false
  return log.firstAt > startedAt + CLOCKS_DIFFER_MS
}

const CLOCKS_DIFFER_MS = 60_000

/** A saved console of the pod's microVM. */
const CONSOLE = /^(?:vm-?|guest-?)?console$/

/** A console may have been saved with times, and a VMM writes a carriage return. */
function withoutConsole(raw: string): string {
  const stamp = /^\d{4}-\d\d-\d\dT\S+ /.exec(raw)?.[0] ?? ''
  return stamp + readConsoleLine(raw.slice(stamp.length))
}

async function otherClues({ bundle }: Common, name: LogName, find: ClueFinder): Promise<readonly Fact[]> {
  const read = await bundle.log(name)
  if (read.kind !== 'seen') return []
  const isConsole = CONSOLE.test(name.container)
  const text = unwrapLog(read.value, name)
  return readLog(isConsole ? text.split('\n').map(withoutConsole).join('\n') : text, {
    source: `logs/${name.namespace}/${name.pod}/${name.container}`,
    stream: isConsole ? 'guest-kernel' : 'job-log',
    find,
  }).clues
}

function isController({ namespace, pod, container }: LogName, pods: readonly PodFacts[]): boolean {
  const object = pods.find((other) => other.namespace === namespace && other.name === pod)
  if (
    object !== undefined &&
    Object.values(object.labels).some((value) => value === 'gha-rs-controller' || value === 'runner-scale-set-listener')
  )
    return true
  return /controller|listener|manager|reaper|janitor|operator|dispatch|autoscaler|karpenter/.test(`${pod}/${container}`)
}

/** Any program may log the name of the subject. Other lines count only from a controller: they are about the fleet. */
async function controllerClues(
  { bundle, pods }: Common,
  name: LogName,
  { find, whose }: { readonly find: ClueFinder; readonly whose: Whose },
): Promise<readonly Fact[]> {
  const read = await bundle.log(name)
  if (read.kind !== 'seen') return []
  const names = [whose.subject.pod, whose.subject.runner].filter((text) => text !== null)
  const isAboutFleet = isController(name, pods)
  const source = `logs/${name.namespace}/${name.pod}/${name.container}`
  return unwrapLog(read.value, name)
    .split('\n')
    .flatMap((raw, order) => {
      const { text, at } = readLogLine(raw)
      const about = names.some((own) => isNamed(text, own)) ? 'subject' : 'node'
      if (about === 'node' && !isAboutFleet) return []
      return find({ text, stream: 'controller-log' }).map((clue) =>
        clueFact(clue, { source, at: at ?? timeIn(text), order, about, text }),
      )
    })
}

/** As a whole word: the name of another pod may begin with this one. */
function isNamed(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + name.length] ?? ' ']
    if (!/[\w-]/.test(before) && !/[\w-]/.test(after)) return true
  }
  return false
}

function timeIn(text: string): number | null {
  const at = Date.parse(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/.exec(text)?.[0] ?? '')
  return Number.isNaN(at) ? null : at
}

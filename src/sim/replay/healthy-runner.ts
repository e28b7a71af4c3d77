import type { Play, Written } from './play.ts'
import type { PodPhase } from './pod-life.ts'
import type { Fields } from '#/core/basics/fields.ts'

/** A runner that takes one job, does it, says so and leaves. Nothing of it was recorded. */
export type HealthyRunner = {
  readonly pool: { readonly namespace: string; readonly scaleSet: string; readonly job: string }
  readonly pod: string
  readonly uid: string
  readonly containerId: string
  readonly jobGuid: string
  readonly node: string
  readonly bornAt: number
  readonly endsAt: number
}

const STARTS_AFTER_MS = 1000
const JOB_AFTER_MS = 4000
const LAST_WORDS_MS = 1000
const REMOVED_AFTER_MS = 3000
const ASKED_ABOUT_MS = 15_000
const EVERY_MS = 3000
const RUNNER_VERSION = '2.335.1'

export function healthyPlay(runner: HealthyRunner): Play {
  const { pool, pod, uid, node, bornAt, endsAt } = runner
  return {
    recording: null,
    namespace: pool.namespace,
    pod,
    uid,
    node,
    phases: buildPhases(runner),
    events: [],
    record: null,
    nodeObject: nodeObject(node, bornAt),
    logs: new Map([['runner', buildLines(runner)]]),
    audit: [],
    host: () => null,
    job: null,
    endsAt,
    overAt: endsAt + ASKED_ABOUT_MS,
  }
}

function buildPhases(runner: HealthyRunner): readonly PodPhase[] {
  const { bornAt, endsAt, containerId } = runner
  const startedAt = bornAt + STARTS_AFTER_MS
  const containerID = `containerd://${containerId}`
  const running = { running: { startedAt: iso(startedAt) } }
  const ended = { exitCode: 0, reason: 'Completed', startedAt: iso(startedAt), finishedAt: iso(endsAt), containerID }
  const status = (phase: string, state: object): Fields => ({
    phase,
    startTime: iso(bornAt),
    qosClass: 'Burstable',
    conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: iso(bornAt) }],
    containerStatuses: [
      { name: 'runner', ready: phase === 'Running', restartCount: 0, state, lastState: {}, containerID },
    ],
  })
  return [
    { at: bornAt, object: podObject(runner, { phase: 'Pending', qosClass: 'Burstable' }) },
    { at: startedAt, object: podObject(runner, status('Running', running)) },
    { at: endsAt, object: podObject(runner, status('Succeeded', { terminated: ended })) },
    { at: endsAt + REMOVED_AFTER_MS, object: null },
  ]
}

function podObject({ pool, pod, uid, node, bornAt }: HealthyRunner, status: Fields): Fields {
  const labels = { 'actions.github.com/scale-set-name': pool.scaleSet, 'app.kubernetes.io/component': 'runner' }
  const container = {
    name: 'runner',
    image: `ghcr.io/actions/actions-runner:${RUNNER_VERSION}`,
    command: ['/home/runner/run.sh'],
  }
  return {
    metadata: { name: pod, namespace: pool.namespace, uid, creationTimestamp: iso(bornAt), labels },
    spec: { containers: [container], restartPolicy: 'Never', nodeName: node, terminationGracePeriodSeconds: 30 },
    status,
  }
}

/** A node without a history: its runners do well. */
function nodeObject(name: string, bornAt: number): Fields {
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: iso(bornAt) }]
  return {
    metadata: { name, uid: `node-${name}`, creationTimestamp: iso(bornAt), labels: { 'kubernetes.io/hostname': name } },
    spec: {},
    status: { conditions, capacity: { cpu: '16', memory: '64Gi', pods: '110' } },
  }
}

/** As actions/runner prints it with its log on stdout. */
function buildLines({ pool: { job }, jobGuid, bornAt, endsAt }: HealthyRunner): readonly Written[] {
  const beginsAt = bornAt + STARTS_AFTER_MS
  const takenAt = bornAt + JOB_AFTER_MS
  const doneAt = endsAt - LAST_WORDS_MS
  const lines: Written[] = []
  const say = (at: number, said: string): void => void lines.push({ at, text: `${nanos(at, lines.length)} ${said}` })
  const write = (at: number, from: string, said: string): void =>
    say(at, `[${from.replace(' ', ` ${blank(at)} INFO `)}] ${said}`)
  write(beginsAt, 'RUNNER Listener', `Version: ${RUNNER_VERSION}`)
  say(beginsAt, '√ Connected to GitHub')
  say(beginsAt + 1000, `${blank(beginsAt + 1000)}: Listening for Jobs`)
  write(takenAt, 'RUNNER JobDispatcher', `Job request 0 for plan ${jobGuid} job ${jobGuid} received.`)
  say(takenAt, `${blank(takenAt)}: Running job: ${job}`)
  for (let at = takenAt + EVERY_MS; at < doneAt; at += EVERY_MS) {
    write(at, 'WORKER JobServerQueue', 'Tried to upload 1 file(s) to results, success rate: 1/1.')
  }
  write(doneAt, 'WORKER JobRunner', 'Job result after all post-job steps finished: Succeeded')
  write(doneAt, 'RUNNER JobDispatcher', `finish job request for job ${jobGuid} with result: Succeeded`)
  say(doneAt, `${blank(doneAt)}: Job ${job} completed with result: Succeeded`)
  write(
    doneAt,
    'RUNNER Runner',
    'Job has finished at backend, the runner will exit since it is running under onetime use mode.',
  )
  write(doneAt, 'RUNNER Listener', 'Runner execution has finished with return code 0')
  return lines
}

function iso(time: number): string {
  return new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

function blank(time: number): string {
  return iso(time).replace('T', ' ')
}

/** Lines of one moment differ, as a node writes them. */
function nanos(time: number, index: number): string {
  return new Date(time).toISOString().replace('Z', `${String(index).padStart(6, '0')}Z`)
}

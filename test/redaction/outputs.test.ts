import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createLog } from '#/adapters/log/create-log.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { openParts } from '#/adapters/bundle/open-parts.ts'
import { packEvidence } from '#/app/judging.ts'
import { CAUSES } from '#/causes/index.ts'
import { buildRules, judgeBundle } from '#/runtime/why/judge-bundle.ts'
import type { JudgedSubject } from '#/runtime/why/judge-bundle.ts'
import { SIGNATURES } from '#/signatures/index.ts'
import { renderWhy } from '#/cli/why/render-why.ts'
import { none, seen } from '#/core/basics/observed.ts'
import { redactDeath } from '#/core/notify/harmless.ts'
import { plainMessage } from '#/core/notify/plain-message.ts'
import { slackMessage } from '#/core/notify/slack-message.ts'
import { teamsMessage } from '#/core/notify/teams-card.ts'
import { webhookBody } from '#/core/notify/webhook-body.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { NodeAgent } from '#/ports/node-agents.ts'
import { toFiles } from '#/runtime/recorder/evidence-parts.ts'
import { deathsApi } from '#/server/deaths.ts'
import { admitAll, openGuards } from '#test/server/open-guards.ts'
import { someNotice } from '#test/notify/some-notice.ts'
import { fakeCluster, listed, podEvent, runnerPod } from '#test/recorder/fake-cluster.ts'
import { startRecorder } from '#test/recorder/start-recorder.ts'
import type { RunningRecorder } from '#test/recorder/start-recorder.ts'
import { FORMATS } from './formats/index.ts'
import { seedDraw } from './formats/format.ts'

const running: RunningRecorder[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

/** A different credential for each place, each of an issuer that the rules did not know once. */
const WITH_SHAPE = FORMATS.filter(({ isShapeless, name }) => isShapeless !== true && /key|token/i.test(name))
const planted = new Map<string, string>()

function plant(place: string, issuer: string): string {
  const format = WITH_SHAPE.find(({ name }) => name === issuer)
  if (format === undefined) throw new Error(`no format ${issuer}`)
  const secret = format.build(seedDraw(4000 + planted.size))
  planted.set(place, secret)
  return secret
}

const terminated = {
  exitCode: 137,
  reason: 'OOMKilled',
  message: `payment failed for ${plant('termination message', 'Stripe secret key')} after 3 tries`,
  finishedAt: new Date().toISOString(),
}
const annotations = {
  note: `model key ${plant('annotation', 'Anthropic key')}`,
  'example.com/config': JSON.stringify({ upstream: { snykToken: plant('annotation as JSON', 'Docker Hub token') } }),
}
const env = [
  { name: 'SETTINGS', value: `--with ${plant('environment', 'SendGrid key')}` },
  { name: 'GRAFANA_TOKEN', value: plant('environment by its name', 'Grafana service account token') },
]
const record: KubeObject = {
  apiVersion: 'actions.github.com/v1alpha1',
  kind: 'EphemeralRunner',
  metadata: { name: 'a', namespace: 'runners', uid: 'r1', resourceVersion: '1' },
  spec: { githubConfigUrl: 'https://github.com/acme' },
  status: {
    phase: 'Running',
    jobDisplayName: `deploy ${plant('job name', 'Linear key')}`,
    jobRepositoryName: 'acme/app',
    jobWorkflowRef: `acme/app/.github/workflows/${plant('workflow', 'Pulumi token')}.yml@refs/heads/main`,
    workflowRunId: 9,
  },
}
const podLog = `2026-11-15T20:00:00.000000000Z pushing with ${plant('log', 'PyPI token')}\n`
const journalLine = JSON.stringify({
  __REALTIME_TIMESTAMP: `${Date.now() * 1000}`,
  SYSLOG_IDENTIFIER: 'kubelet',
  MESSAGE: `E1115 20:00:00.000000    12 x.go:7] failed: ${plant('journal', 'Hugging Face token')} refused`,
})
const event = `Error: hook failed: ${plant('event', 'Databricks token')}`

const agent: NodeAgent = {
  journal: async () =>
    seen({
      chunks: (async function* () {
        yield Buffer.from(`${journalLine}\n`)
      })(),
      from: Date.now() - 3_600_000,
      ending: () => ({ to: Date.now(), gaps: [] }),
    }),
  file: async () => none(),
  cgroups: async () => none(),
  logs: async () => none(),
}

async function dead(): Promise<RunningRecorder> {
  const cluster = fakeCluster()
  const agents = { of: () => agent, watch: () => {}, stored: () => {} }
  const recorder = startRecorder({ kubernetes: cluster.kubernetes, agents })
  running.push(recorder)
  const metadata = { annotations, ownerReferences: [{ kind: 'EphemeralRunner', name: 'a', uid: 'r1' }] }
  const pod = runnerPod({ name: 'a', metadata, env })
  cluster.runners(listed([record]))
  cluster.tails.set('a/runner', seen({ text: podLog, cut: false }))
  cluster.events(listed([podEvent(pod, 'FailedPostStartHook', event)]))
  cluster.pods(listed([pod]))
  cluster.pods({ kind: 'caught-up', resourceVersion: '1' })
  await cluster.taken()
  cluster.pods({
    kind: 'modified',
    object: runnerPod({ name: 'a', metadata, env, phase: 'Failed', state: { terminated } }),
  })
  await vi.waitFor(() => expect(recorder.deaths.length).toBe(1), { timeout: 120_000 })
  return recorder
}

/** What the places of a death become: everything that leaves the program, by where it leaves. */
async function outputs({ store, deaths, lines }: RunningRecorder): Promise<ReadonlyMap<string, string>> {
  const [death] = deaths
  if (death === undefined) throw new Error('no death')
  const api = deathsApi({
    guards: openGuards,
    deaths: store.deaths,
    livePods: store.livePods,
    admit: admitAll,
    mostRejudges: 1,
    pack: packEvidence,
    rejudge: async () => Promise.reject(new Error('unused')),
  })
  const answer = async (path: string): Promise<Buffer> => Buffer.from(await (await api.request(path)).arrayBuffer())
  const notice = someNotice([redactDeath(death, redact)])
  const stored = await store.deaths.get(death.uid)
  const judged = await judgeWhole(toFiles(stored?.evidence ?? []))
  return new Map([
    ['log', writtenLog(lines)],
    ['API, list', (await answer('/')).toString()],
    ['API, one', (await answer(`/${death.uid}`)).toString()],
    ['export', gunzipSync(await answer(`/${death.uid}/evidence`)).toString()],
    ['store', JSON.stringify([stored?.death, death])],
    ['webhook', JSON.stringify(webhookBody(notice))],
    ['Slack', JSON.stringify(slackMessage(notice))],
    ['Teams', JSON.stringify(teamsMessage(notice))],
    ['plain notification', plainMessage(notice)],
    ['why', JSON.stringify(judged === null ? null : renderWhy([judged], 'full'))],
  ])
}

/** As `why` does, with the whole evidence. */
async function judgeWhole(files: ReadonlyMap<string, Uint8Array>): Promise<JudgedSubject | null> {
  const opening = openParts(files, new AbortController().signal)
  if (opening.kind === 'refused') return null
  await using bundle = opening.bundle
  const found = await judgeBundle(bundle, null, { rules: buildRules(SIGNATURES), causes: CAUSES })
  return found.kind === 'found' ? (found.results[0] ?? null) : null
}

function writtenLog(lines: RunningRecorder['lines']): string {
  let text = ''
  const write = (line: string): void => void (text += `${line}\n`)
  for (const format of ['json', 'text'] as const) {
    const log = createLog({ level: 'debug', format, clock: { now: () => 0, sleep: async () => {} }, write, redact })
    for (const [message, fields] of lines) log.info(message, fields)
  }
  return text
}

describe('a credential in the evidence of a death', () => {
  it('reaches no log, API, export, notification or answer', { timeout: 180_000 }, async () => {
    const left = await outputs(await dead())
    const leaks = [...left].flatMap(([where, text]) =>
      [...planted].filter(([, secret]) => text.includes(secret.slice(-16))).map(([place]) => `${place} in ${where}`),
    )
    expect(leaks).toEqual([])
    // The places were read: what is left of them is there, with a mark.
    expect(left.get('log')).toContain('payment failed for ‹redacted:credential› after 3 tries')
    expect(left.get('API, one')).toContain('payment failed for ‹redacted:credential› after 3 tries')
    for (const quoted of ['model key ‹', 'hook failed: ‹', 'pushing with ‹', '] failed: ‹', 'deploy ‹'])
      expect(left.get('export')).toContain(quoted)
  })
})

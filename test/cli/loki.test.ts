import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { textAt } from '#/core/basics/fields.ts'
import type { JournalLine } from '#/ports/journal.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { repository } from '#test/cli/run-signalbox.ts'
import { sendJson, serveHttp } from '#test/collect/http-service.ts'
import type { HttpService } from '#test/collect/http-service.ts'

/** A death that was recorded on a real node: its pod, and its node's journal and log as Loki would have them. */
type Recorded = {
  readonly pod: string
  readonly path: string
  readonly journal: readonly JournalLine[]
  readonly log: string
}

let folder: string
let recorded: Recorded

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-loki-test-'))
  const opening = await openBundle(
    join(repository, 'recordings/oom-step.tar.gz'),
    BUNDLE_LIMITS,
    new AbortController().signal,
  )
  if (opening.kind === 'refused') throw new Error(opening.why)
  await using bundle = opening.bundle
  const { namespace = '', pod = '', node = '' } = bundle.meta.subject
  const pods = await bundle.list('pods')
  const own = pods.kind === 'seen' ? pods.value.find((one) => textAt(one, 'metadata', 'name') === pod) : undefined
  const path = join(folder, 'pod.json')
  await writeFile(path, JSON.stringify(own))
  const journal = await bundle.journal(node, { mentions: [''] })
  const log = await bundle.log({ namespace, pod, container: 'runner', previous: false })
  recorded = {
    pod: `${namespace}/${pod}`,
    path,
    journal: journal.kind === 'seen' ? journal.value.lines : [],
    log: log.kind === 'seen' ? log.value : '',
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What the chart k8s-monitoring ships: the message, with the unit as a label. */
function serveRecorded(): Promise<HttpService> {
  const journal = recorded.journal.map(({ at, message, unit, transport }) => ({
    stream: transport === 'kernel' ? {} : { unit: unit ?? 'kubelet.service' },
    values: [[`${Math.round(at ?? 0)}000000`, message ?? '']],
  }))
  const lines = recorded.log.split('\n').filter((line) => line !== '')
  const log = lines.map((line) => {
    const [time = '', ...rest] = line.split(' ')
    return { stream: { container: 'runner' }, values: [[`${Date.parse(time)}000000`, rest.join(' ')]] }
  })
  return serveHttp(({ url }, response) => {
    const isJournal = url.searchParams.get('query')?.includes('journal') === true
    sendJson(response, { status: 'success', data: { resultType: 'streams', result: isJournal ? journal : log } })
  })
}

const why = (loki: string) =>
  runInProcess([
    'why',
    recorded.pod,
    '--last-seen',
    recorded.path,
    '--since',
    '2026-11-16T03:00:00Z',
    '--loki',
    loki,
    '-o',
    'json',
  ])

describe('a runner that is gone, with its journal and its log in Loki', () => {
  it('has the verdict that its node gave, from there', async () => {
    await using service = await serveRecorded()
    const { stdout, code } = await why(service.url)
    expect(JSON.parse(stdout)).toMatchObject({ verdict: { cause: 'oom-step' } })
    expect(code).toBe(0)
    const queries = service.asked.map(({ url }) => url.searchParams.get('query'))
    expect(queries).toContain('{job="integrations/kubernetes/journal", instance="runner-node-1"}')
  })

  it('says what Loki said where it refuses', async () => {
    await using service = await serveHttp((_, response) => response.writeHead(403).end('no access to this tenant'))
    const { stdout } = await why(service.url)
    expect(stdout).toContain('Loki answered 403: no access to this tenant')
  })
})

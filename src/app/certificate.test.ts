import { X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '#/config/load.ts'
import type { Kubernetes, PatchRequest, WriteOutcome } from '#/ports/kubernetes.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import { openCertificate } from './certificate.ts'

const { signal } = new AbortController()
const DAY_MS = 86_400_000
const DONE: WriteOutcome = { kind: 'done', object: null }

async function open(tls: object) {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-certificate-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'signalbox.yaml')
  await writeFile(file, JSON.stringify({ data: join(folder, 'data'), tls }))
  const loaded = await loadConfig({ file, flags: [], workingFolder: folder }, {})
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems))
  const [patched, logged, answers]: [PatchRequest[], string[], WriteOutcome[]] = [[], [], []]
  const kubernetes: Pick<Kubernetes, 'patch'> = {
    patch: async (request) => {
      patched.push(request)
      return answers.shift() ?? DONE
    },
  }
  const line = (message: string) => void logged.push(message)
  const log = { debug: line, info: line, warn: line, error: line }
  const clock = createHandClock()
  const part = await openCertificate({ config: loaded.config, clock, log, kubernetes })
  const run = async (): Promise<void> => part.replicaLoops?.[0]?.run(signal)
  return { folder, part, patched, logged, answers, clock, run, tls: loaded.config.tls }
}

describe('the certificate of the server', () => {
  it('is made before the server listens, and its CA is published once', async () => {
    const { run, patched, logged, tls } = await open({ names: ['a.ci.svc'], caConfigMap: 'ci/the-ca' })
    expect(logged).toEqual(['made a new CA and certificate'])
    await run()
    await run()
    const authority = await readFile(tls?.caFile ?? '', 'utf8')
    expect(patched).toMatchObject([
      { namespace: 'ci', name: 'the-ca', patch: { kind: 'merge', changes: { data: { 'ca.crt': authority } } } },
    ])
    expect(JSON.stringify(patched)).not.toContain('PRIVATE KEY')
  })

  it('is published again after a while, in case somebody emptied the ConfigMap', async () => {
    const { run, patched } = await open({ names: ['a.ci.svc'], caConfigMap: 'ci/the-ca' })
    for (let runs = 0; runs < 25; runs += 1) await run()
    expect(patched.length).toBe(3)
  })

  it('is renewed while the server runs', async () => {
    const { run, clock, logged, tls } = await open({ names: ['a.ci.svc'] })
    const before = new X509Certificate(await readFile(tls?.certFile ?? ''))
    clock.advance(300 * DAY_MS)
    await run()
    const after = new X509Certificate(await readFile(tls?.certFile ?? ''))
    expect(logged).toEqual(['made a new CA and certificate', 'made a new certificate'])
    expect(Date.parse(after.validTo)).toBeGreaterThan(Date.parse(before.validTo))
  })

  it('says once why the CA cannot be published, and publishes it when it can', async () => {
    const { run, answers, logged, patched } = await open({ names: ['a.ci.svc'], caConfigMap: 'ci/the-ca' })
    answers.push({ kind: 'gone' }, { kind: 'gone' }, { kind: 'forbidden', message: 'no' })
    for (let runs = 0; runs < 5; runs += 1) await run()
    expect(patched.length).toBe(4)
    expect(logged.filter((message) => message.startsWith('cannot publish the CA'))).toHaveLength(2)
  })

  it('is published and not touched where it is somebody else’s', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-theirs-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'ca.crt'), 'their CA\n')
    const files = {
      certFile: join(folder, 'tls.crt'),
      keyFile: join(folder, 'tls.key'),
      caFile: join(folder, 'ca.crt'),
    }
    const { run, patched, logged } = await open({ ...files, caConfigMap: 'ci/the-ca' })
    await run()
    expect(patched).toMatchObject([{ patch: { changes: { data: { 'ca.crt': 'their CA\n' } } } }])
    expect(logged).toEqual([])
  })

  it('does nothing for plain HTTP', async () => {
    expect((await open({})).part.replicaLoops).toBeUndefined()
  })
})

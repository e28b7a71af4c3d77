import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { serveRecorded } from '#test/server/recorded-server.ts'
import type { RecordedServer } from '#test/server/recorded-server.ts'
import { makeSigned } from '#test/server/signed-certificate.ts'
import type { SignedCertificate } from '#test/server/signed-certificate.ts'

const POD = 'ads-4vcpu-n8qcd-runner-w3k7v'
const UID = '5a46ab77-4782-4323-9774-7d3eb770f796'
const JOB = 88_310_160_420
const FORCED = {
  bundle: 'force-deleted',
  cause: 'node-lost',
  namespace: 'arc-ads',
  pod: POD,
  uid: UID,
  job: JOB,
  runner: `${POD}-abcde`,
  repository: 'acme/ads',
  node: 'runner-node-1',
  pool: 'ads-4vcpu',
}

let folder: string
let server: RecordedServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-stored-'))
  const clean = { cause: 'completed-normally', kind: 'not-a-death', confidence: 1, rules: '1', judgedAt: 1 }
  server = await serveRecorded([
    FORCED,
    { pod: 'twice', cause: 'oom-container' },
    { pod: 'twice', cause: 'node-lost', node: null, namespace: 'elsewhere' },
    { pod: 'tidy', verdict: { ...clean, document: { sentence: 'It was done.' } } },
  ])
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const ask = (...args: readonly string[]) => runInProcess([...args, '--server', server.url])

describe('signalbox why, from the store', () => {
  it.each([
    ['the pod', POD],
    ['the pod with its namespace', `arc-ads/${POD}`],
    ['the runner', `${POD}-abcde`],
    ['the UID', UID],
    ['the number of the job', String(JOB)],
    ['the address of the job', `https://github.com/acme/ads/actions/runs/1/job/${JOB}`],
  ])('finds it by %s, judges it by the current rules, and says where it comes from', async (_, name) => {
    const { code, stdout, stderr } = await ask('why', name, '--store', '-o', 'json')
    expect(JSON.parse(stdout)).toMatchObject({
      schemaVersion: 1,
      subject: { pod: POD, uid: UID },
      verdict: { cause: 'force-deleted', actor: 'user:jane.doe@acme.example' },
      store: { uid: UID, cause: 'node-lost', confidence: 0.8, others: 0 },
    })
    expect(code).toBe(0)
    expect(stderr).toMatch(/^From the store: the death of arc-ads\/ads-4vcpu\S+, recorded 20\S+Z\.\n/)
    expect(stderr).toContain('The stored verdict is node-lost (80 %); the current rules give force-deleted (')
  })

  it('uses it automatically when nothing is live', async () => {
    const { code, stdout, stderr } = await ask('why', POD)
    expect([code, stderr]).toEqual([0, expect.stringContaining('From the store')])
    expect(stdout).toContain('What supports it')
  })

  it('shows the latest of several, and how many others there are', async () => {
    const { stdout, stderr } = await ask('why', 'twice', '--store', '-o', 'json')
    expect(JSON.parse(stdout)).toMatchObject({ verdict: { cause: 'oom-container' }, store: { others: 1 } })
    expect(stderr).toContain('1 other deaths of that name')
    const other = await ask('why', 'elsewhere/twice', '--store', '-o', 'json')
    expect(JSON.parse(other.stdout)).toMatchObject({ verdict: { cause: 'node-lost' }, store: { others: 0 } })
    const inNamespace = await ask('why', 'twice', '-n', 'elsewhere', '--store', '-o', 'json')
    expect(JSON.parse(inNamespace.stdout)).toMatchObject({ verdict: { cause: 'node-lost' } })
  })

  it('shows the stored verdict of a clean end, of which nothing else is kept', async () => {
    const { code, stdout, stderr } = await ask('why', 'tidy', '--store')
    expect([code, stdout.split('\n')[0]]).toEqual([0, 'It was done.'])
    expect(stderr).toContain('No evidence of it is kept')
    const timelineRun = await ask('timeline', 'tidy', '--store')
    expect([timelineRun.code, timelineRun.stderr]).toEqual([3, expect.stringContaining('no evidence is kept')])
  })

  it('is used by timeline too', async () => {
    const { code, stdout, stderr } = await ask('timeline', POD, '--store', '-o', 'json')
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('current rules')])
    expect((JSON.parse(stdout) as { timeline: unknown[] }).timeline.length).toBeGreaterThan(5)
  })

  it.each([
    ['an unrecorded pod', ['nobody', '--store'], 3, 'no death of nobody is recorded'],
    ['an unrecorded UID', ['00000000-0000-4000-8000-999999999999', '--store'], 3, 'no death of'],
    ['a run', ['https://github.com/acme/ads/actions/runs/1', '--store'], 3, 'no death of run 1 of acme/ads'],
    ['a bundle as well', [POD, '--store', '--bundle', 'x'], 2, '--bundle'],
  ])('says what is wrong with %s', async (_, args, code, message) => {
    const ran = await ask('why', ...args)
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(message)])
  })

  it('reports that no server answers only with --store or --server', async () => {
    const nowhere = ['--server', 'http://127.0.0.1:9']
    const insisting = await runInProcess(['why', POD, '--store', ...nowhere])
    expect([insisting.code, insisting.stderr]).toEqual([3, expect.stringContaining('no server answers at')])
    const named = await runInProcess(['why', POD, ...nowhere])
    expect([named.code, named.stderr]).toEqual([3, expect.stringContaining('Cannot read recorded deaths')])
    const own = { SIGNALBOX_LISTEN: '127.0.0.1:9' }
    const hidden = { SIGNALBOX_TLS_CERT_FILE: '/nonexistent/a.crt', SIGNALBOX_TLS_KEY_FILE: '/nonexistent/a.key' }
    for (const env of [own, { ...own, ...hidden }]) {
      const guessed = await runInProcess(['why', POD], { env })
      expect([guessed.code, guessed.stderr]).toEqual([3, expect.not.stringMatching(/127\.0\.0\.1:9|a\.crt/)])
    }
  })

  it('recognises a server that is not signalbox serve', async () => {
    const { createServer } = await import('node:http')
    const other = createServer((_request, response) => response.end('<html>hello</html>')).listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const ran = await runInProcess(['deaths', '--server', `http://127.0.0.1:${port}`])
    other.close()
    expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining('is not signalbox serve')])
  })
})

describe('signalbox deaths', () => {
  it.each([
    [[], [POD, 'twice', 'twice']],
    [
      ['--kind', 'all'],
      [POD, 'twice', 'twice', 'tidy'],
    ],
    [['--runner', `arc-ads/${POD}`], [POD]],
    [['--job', `https://github.com/acme/ads/actions/runs/1/job/${JOB}`], [POD]],
    [['--cause', 'oom-container', '--node', 'n1', '--pool', 'linux'], ['twice']],
    [['--repository', 'acme/ads', '--since', '90m'], [POD]],
    [
      ['--until', '90m'],
      ['twice', 'twice'],
    ],
    [['--limit', '1'], [POD]],
  ])('lists by %j', async (args, expected) => {
    const { code, stdout, stderr } = await ask('deaths', ...args, '-o', 'json')
    expect([code, stderr]).toEqual([0, ''])
    expect((JSON.parse(stdout) as { deaths: { pod: string }[] }).deaths.map(({ pod }) => pod)).toEqual(expected)
  })

  it('counts them with --by', async () => {
    const { code, stdout } = await ask('deaths', '--by', 'cause', '-o', 'json')
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        schemaVersion: 1,
        by: 'cause',
        groups: [
          { name: 'node-lost', count: 2, share: 2 / 3 },
          { name: 'oom-container', count: 1 },
        ],
      },
    ])
    const table = await ask('deaths', '--by', 'node')
    expect(table.stdout).toMatch(/^NODE +DEATHS +SHARE +LAST\n/)
    expect(table.stdout).toMatch(/\n- +1 +33 % +20/)
    const actors = await ask('deaths', '--by', 'actor')
    expect(actors.stdout).toMatch(/^ACTOR +.+\nunknown +3 +100 % /)
  })

  it.each([
    [['--by', 'colour'], '--by'],
    [['--cause', 'oom-containr'], 'did you mean oom-container?'],
    [['--cause', 'oom'], 'did you mean oom-'],
    [['--kind', 'deth'], 'did you mean death?'],
    [['--job', 'x y/z/w'], '--job'],
    [['--until', 'soon'], '--until'],
    [['--watch', '--by', 'node'], '--by'],
  ])('refuses %j', async (args, message) => {
    const ran = await ask('deaths', ...args)
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('a server on another machine', () => {
  const TOKEN = 'a-token-of-more-than-24-characters'
  let far: RecordedServer
  let certificate: SignedCertificate
  beforeAll(async () => {
    certificate = await makeSigned(folder, 'far', 'IP:127.0.0.1')
    await writeFile(join(folder, 'token'), `${TOKEN}\n`)
    await writeFile(join(folder, 'wrong'), `${TOKEN}x\n`)
    const { certFile, keyFile } = certificate
    const tls = { certFile, keyFile }
    far = await serveRecorded([FORCED], { tokenFile: join(folder, 'token'), tls, isClosed: true })
  })
  afterAll(() => far[Symbol.asyncDispose]())

  it('is reached by TLS, with the token and its CA, by flags or by the environment', async () => {
    const given = ['--server', far.url, '--token-file', join(folder, 'token'), '--ca-file', certificate.caFile]
    const flags = await runInProcess(['deaths', '-o', 'json', ...given])
    expect([flags.code, flags.stdout]).toEqual([0, expect.stringContaining(POD)])
    const env = {
      SIGNALBOX_API_SERVER: far.url,
      SIGNALBOX_API_TOKEN_FILE: join(folder, 'token'),
      SIGNALBOX_CA_FILE: certificate.caFile,
    }
    const variable = { ...env, SIGNALBOX_API_TOKEN_FILE: '', SIGNALBOX_TOKEN: TOKEN }
    const byVariable = await runInProcess(['deaths', '-o', 'json'], { env: variable })
    expect([byVariable.code, byVariable.stdout]).toEqual([0, expect.stringContaining(POD)])
    for (const args of [
      ['why', POD, '--store'],
      ['rejudge', '--apply'],
      ['export', POD, '-o', join(folder, 'out.tar.gz')],
    ]) {
      const ran = await runInProcess(args, { env })
      expect([ran.code, `${ran.stdout}${ran.stderr}`]).toEqual([0, expect.not.stringContaining(TOKEN)])
    }
    const read = await runInProcess(['why', '--bundle', join(folder, 'out.tar.gz'), '-o', 'json'])
    expect(JSON.parse(read.stdout)).toMatchObject({ verdict: { cause: 'force-deleted' } })
  })

  it.each([
    ['no token', () => [], 3, 'signalbox token create NAME --role read'],
    ['a wrong token', () => ['--token-file', join(folder, 'wrong')], 3, 'the token is wrong'],
    ['a token that is not there', () => ['--token-file', join(folder, 'none')], 2, 'cannot be read'],
  ])('says what is wrong with %s, and does not show it', async (_, args, code, message) => {
    const ran = await runInProcess(['deaths', '--server', far.url, '--ca-file', certificate.caFile, ...args()])
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(message)])
    expect(ran.stderr).not.toContain(TOKEN)
  })

  it('is refused when its certificate is not trusted', async () => {
    const ran = await runInProcess(['deaths', '--server', far.url, '--token-file', join(folder, 'token')])
    expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining('TLS')])
  })

  it('never gets the token in plain text', async () => {
    const plain = ['--server', 'http://signalbox.example:8080', '--token-file', join(folder, 'token')]
    const ran = await runInProcess(['deaths', ...plain])
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('not encrypted')])
  })

  it('on this machine is checked by its configured certificate, and gets the token of its configuration', async () => {
    const { certFile, keyFile } = await makeSigned(folder, 'own', 'DNS:signalbox.ci.svc')
    await using own = await serveRecorded([FORCED], {
      tls: { certFile, keyFile },
      tokenFile: join(folder, 'token'),
      isClosed: true,
    })
    const env = {
      SIGNALBOX_LISTEN: `0.0.0.0:${new URL(own.url).port}`,
      SIGNALBOX_TLS_CERT_FILE: certFile,
      SIGNALBOX_TLS_KEY_FILE: keyFile,
      SIGNALBOX_API_TOKEN_FILE: join(folder, 'token'),
    }
    const ran = await runInProcess(['deaths', '-o', 'json'], { env })
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining(POD)])
  })
})

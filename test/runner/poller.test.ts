import { existsSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { JIT, cutOff, job, never, nothingYet, problem, startDispatchServer } from './dispatch-server.ts'
import type { Answer, DispatchServer } from './dispatch-server.ts'
import { Place, SHELLS, findCommand, runScript, runnerScript } from './shells.ts'
import type { Running } from './shells.ts'

const TOOLS = [
  'sh',
  'dash',
  'sed',
  'tr',
  'date',
  'od',
  'rm',
  'mv',
  'cp',
  'cat',
  'sleep',
  'chmod',
  'head',
  'tail',
  'cut',
]
const TOKEN = 'first.token-1'

let place: Place
const started: Running[] = []
beforeEach(() => {
  place = new Place()
  place.sub('jit')
  place.sub('scripts')
  writeFileSync(place.at('token'), TOKEN)
})
afterEach(async () => {
  for (const one of started.splice(0)) {
    one.signal('SIGKILL')
    await one.ended
  }
  place[Symbol.dispose]()
})

type Options = { readonly shell?: readonly string[]; readonly env?: Readonly<Record<string, string>> }

function poll(url: string, { shell = ['sh'], env = {} }: Options = {}): Running {
  const running = runScript([...shell, runnerScript('poller.sh')], {
    PATH: process.env['PATH'] ?? '',
    SIGNALBOX_URL: url,
    SIGNALBOX_TOKEN_FILE: place.at('token'),
    SIGNALBOX_JIT_FOLDER: place.at('jit'),
    SIGNALBOX_SCRIPTS_FOLDER: place.sub('scripts'),
    SIGNALBOX_LONGEST_PAUSE: '0',
    ...env,
  })
  started.push(running)
  return running
}

async function polled(answers: readonly Answer[], options: Options = {}) {
  await using server = await startDispatchServer(answers)
  const running = poll(server.url, options)
  const code = await running.ended
  expect(running.output()).not.toContain(JIT.slice(0, 40))
  expect(running.output()).not.toContain(TOKEN)
  const jit = place.at('jit')
  return { code, output: running.output(), requests: server.requests, left: existsSync(jit) ? readdirSync(jit) : [] }
}

const handed = (): string => readFileSync(place.at('jit', 'jit'), 'utf8').trim()

describe.each(SHELLS)('the poller in %s', (_name, shell) => {
  it('hands over what it gets, and nothing else stays', async () => {
    const { code, output, requests, left } = await polled([job], { shell })
    expect([code, handed(), left]).toEqual([0, JIT, ['jit']])
    expect(output).toContain('signalbox-poller: a job came for runner linux-1-aa (id 4711)')
    expect(requests).toMatchObject([{ line: 'POST /v1/dispatch?wait=25', token: `Bearer ${TOKEN}` }])
    expect(statSync(place.at('jit', 'jit')).mode & 0o777).toBe(0o600)
  })

  it('asks again after every answer that is no end', async () => {
    const answers = [
      nothingYet,
      problem(503, 'store-unavailable'),
      problem(429, 'breaker-open'),
      problem(500, 'x'),
      cutOff,
      (response: Parameters<Answer>[0]) => response.writeHead(200).end('{"slot": "a", "jit": ""}'),
      job,
    ]
    const { code, output, requests } = await polled(answers, { shell })
    expect([code, requests.length, handed()]).toEqual([0, answers.length, JIT])
    expect(output).toContain('HTTP 503 (store-unavailable)')
    expect(output).toContain('no configuration of a runner')
  })

  it('ends at once on SIGTERM, while it asks and while it pauses', async () => {
    await using server = await startDispatchServer([never])
    const asking = poll(server.url, { shell })
    await server.came(1)
    asking.signal('SIGTERM')
    expect([await asking.ended, existsSync(place.at('jit', 'jit'))]).toEqual([143, false])
    await using refusing = await startDispatchServer([problem(503, 'store-unavailable', { 'retry-after': '300' })])
    const pausing = poll(refusing.url, { shell })
    await pausing.printed('HTTP 503')
    pausing.signal('SIGTERM')
    expect(await pausing.ended).toBe(143)
    expect(pausing.output()).toContain('stopped before a job came')
  })

  it('writes the scripts of the runner where nobody but it can change them', async () => {
    const script = `#!/bin/sh\necho "it's $1" '$$' \\n`
    await polled([problem(410, 'drained')], { shell, env: { SIGNALBOX_RUN_JOB: script, SIGNALBOX_VITALS: 'echo v' } })
    expect(readFileSync(place.at('scripts', 'run-job.sh'), 'utf8')).toBe(`${script}\n`)
    expect(statSync(place.at('scripts', 'vitals.sh')).mode & 0o777).toBe(0o755)
  })
})

describe('the poller', () => {
  it.each(['drained', 'committed', 'stale-template'])('ends without a job where it gets none: %s', async (reason) => {
    const { code, output, left } = await polled([problem(410, reason)])
    expect([code, left]).toEqual([0, []])
    expect(output).toContain(`this pod gets no job (${reason})`)
  })

  it('gives up after its token was refused several times in a row', async () => {
    const answers = [problem(401, 'token-invalid'), nothingYet, problem(401, 'token-invalid')]
    const { code, output, requests } = await polled(answers, { env: { SIGNALBOX_REFUSALS: '2' } })
    expect([code, requests.length]).toEqual([1, 4])
    expect(output).toContain('the token was refused 2 times')
  })

  it('reads the token again for each request', async () => {
    const renew: Answer = (response) => {
      writeFileSync(place.at('token'), 'second.token-2')
      problem(401, 'token-invalid')(response)
    }
    const { code, requests } = await polled([renew, job])
    expect(requests.map(({ token }) => token)).toEqual([`Bearer ${TOKEN}`, 'Bearer second.token-2'])
    expect(code).toBe(0)
  })

  it('waits as long as the server asks', async () => {
    const { requests } = await polled([problem(429, 'breaker-open', { 'Retry-After': '2' }), job])
    const [first, second] = requests
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1990)
  })

  it('does not ask more than once a second of a server that holds nothing', async () => {
    const { requests } = await polled([nothingYet, nothingYet, nothingYet, job])
    expect((requests[3]?.at ?? 0) - (requests[0]?.at ?? 0)).toBeGreaterThanOrEqual(1000)
  })

  it('gives up an answer that never comes, and asks again', async () => {
    const { code, output } = await polled([never, job], { env: { SIGNALBOX_TIME_OUT: '1' } })
    expect(code).toBe(0)
    expect(output).toContain('no answer: curl: (28)')
  })

  it('waits for a server that is not there yet', async () => {
    const server: DispatchServer = await startDispatchServer([job])
    await server[Symbol.asyncDispose]()
    const running = poll(server.url)
    await running.printed('no answer')
    running.signal('SIGTERM')
    expect(await running.ended).toBe(143)
  })

  it('waits for a token that is not there yet', async () => {
    writeFileSync(place.at('token'), '')
    await using server = await startDispatchServer([job])
    const running = poll(server.url)
    await running.printed('cannot be read')
    writeFileSync(place.at('token'), TOKEN)
    expect([await running.ended, server.requests.length]).toEqual([0, 1])
  })

  const wgets = ['wget', 'busybox'].filter((name) => findCommand(name) !== null)
  it.each(wgets)('asks by wget where there is no curl: %s', async (name) => {
    const bin = place.commands([...TOOLS, 'grep', 'timeout', ...(name === 'wget' ? ['wget'] : [])])
    if (name === 'busybox') symlinkSync(findCommand('busybox') ?? '', path.join(bin, 'wget'))
    const answers = [nothingYet, problem(503, 'breaker-open'), cutOff, job]
    const { code, output, requests, left } = await polled(answers, { env: { PATH: bin } })
    expect([code, requests.length, handed(), left]).toEqual([0, 4, JIT, ['jit']])
    expect(output).toContain('HTTP 503')
    expect(await polled([problem(410, 'drained')], { env: { PATH: bin } })).toMatchObject({ code: 0 })
  })

  it('says what the image lacks', async () => {
    const { code, output } = await polled([job], { env: { PATH: place.commands([...TOOLS, 'grep']) } })
    expect(code).toBe(1)
    expect(output).toContain('the image has neither curl nor wget')
  })

  it('fails where it cannot write', async () => {
    rmSync(place.sub('jit'), { recursive: true })
    const { code, output } = await polled([job])
    expect(code).toBe(1)
    expect(output).toContain('cannot write to')
  })
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from './load.ts'
import type { NotifyConfig } from '#/config/notify-config.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-notify-config-'))
})
afterAll(() => rm(folder, { recursive: true }))

type Given = { readonly file?: string; readonly env?: Readonly<Record<string, string>> }

async function load({ file = '', env = {} }: Given) {
  await writeFile(join(folder, 'signalbox.yaml'), file)
  return loadConfig({ file: undefined, flags: [], workingFolder: folder }, { HOME: folder, ...env })
}

async function valid(given: Given): Promise<NotifyConfig> {
  const outcome = await load(given)
  if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems))
  return outcome.config.notify
}

async function problems(given: Given): Promise<readonly string[]> {
  const outcome = await load(given)
  return outcome.kind === 'valid' ? [] : outcome.problems.map(({ where, message }) => `${where}: ${message}`)
}

const URL = 'https://hooks.example/T0/SECRET'

describe('notification channels', () => {
  it('are off until a URL is given, by value, file or variable', async () => {
    expect(await valid({})).toMatchObject({ github: null, slack: null, teams: null, webhook: null })
    await writeFile(join(folder, 'url'), `${URL}\n`)
    for (const channel of ['slack', 'teams', 'webhook'] as const) {
      const variable = `SIGNALBOX_NOTIFY_${channel.toUpperCase()}_URL`
      const ways = [
        { file: `notify: {${channel}: {url: "${URL}"}}\n` },
        { file: `notify: {${channel}: {urlFile: url}}\n` },
        { env: { [variable]: URL } },
      ]
      for (const way of ways) expect((await valid(way))[channel]?.url.reveal()).toBe(URL)
    }
    expect((await valid({ file: 'notify: {github: {checkRuns: true}}\n' })).github?.perMinute).toBe(20)
    expect((await valid({ env: { SIGNALBOX_NOTIFY_GITHUB_CHECK_RUNS: 'true' } })).github).not.toBeNull()
    expect((await valid({ env: { SIGNALBOX_NOTIFY_GITHUB_CHECK_RUNS: 'false' } })).github).toBeNull()
  })

  it('never print their URL', async () => {
    const outcome = await load({ file: `notify: {webhook: {url: "${URL}", secret: SECRET}}\n` })
    expect(outcome.kind).toBe('valid')
    expect(inspect(outcome, { depth: 9 })).not.toContain('SECRET')
    expect(JSON.stringify(outcome)).not.toContain('SECRET')
  })

  it('can select other deaths than the rest', async () => {
    const file = `notify:\n  pools: [linux]\n  minimumConfidence: 0.8\n  slack: {url: "${URL}", kinds: [death], causes: [oom-node]}\n  teams: {url: "${URL}", perHour: 5}\n`
    const env = { SIGNALBOX_NOTIFY_TEAMS_MINIMUM_CONFIDENCE: '0.95', SIGNALBOX_NOTIFY_TEAMS_POOLS: 'arm gpu' }
    expect(await valid({ file, env })).toMatchObject({
      slack: {
        selection: { kinds: ['death'], causes: ['oom-node'], pools: ['linux'], minimumConfidence: 0.8 },
        perHour: 20,
      },
      teams: {
        selection: { kinds: ['death', 'never-started'], causes: [], pools: ['arm', 'gpu'], minimumConfidence: 0.95 },
        perHour: 5,
      },
    })
  })

  it.each([
    ['notify: {kinds: []}\n', 'signalbox.yaml:1: notify.kinds must not be empty'],
    ['notify: {minimumConfidence: 90}\n', 'signalbox.yaml:1: notify.minimumConfidence must be at most 1'],
    [
      'notify: {slack: {url: "ftp://x"}}\n',
      'signalbox.yaml:1: notify.slack.url must be an http or https URL without credentials',
    ],
    ['notify: {slack: {perHour: 0}}\n', 'signalbox.yaml:1: notify.slack.perHour must be greater than 0'],
    ['notify: {github: {perMinute: 61}}\n', 'signalbox.yaml:1: notify.github.perMinute must be at most 60'],
    ['notify: {github: {checkRuns: perhaps}}\n', 'signalbox.yaml:1: notify.github.checkRuns must be true or false'],
    ['notify: {settle: 0s}\n', 'signalbox.yaml:1: notify.settle must be greater than 0'],
  ])('%j is refused', async (file, problem) => {
    expect(await problems({ file })).toContain(problem)
  })
})

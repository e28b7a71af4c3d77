import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

import { runInProcess } from '#test/cli/run-in-process.ts'

const deaths = path.resolve(import.meta.dirname, '..', 'bundles', 'deaths')
const archive = (name: string) => path.join(deaths, `${name}.tar.gz`)

type Answer = {
  readonly schemaVersion: number
  readonly subject: Readonly<Record<string, unknown>>
  readonly verdict: Readonly<Record<string, unknown>> & { readonly because: readonly { readonly source: string }[] }
  readonly alternatives: readonly { readonly cause: string; readonly confidence: number }[]
  readonly timeline: readonly { readonly at: string; readonly source: string; readonly fact: string }[]
}

type Blind = { readonly blind: readonly { readonly source: string; readonly reason: string }[] }

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'signalbox-why-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

describe('signalbox why', () => {
  it('prints JSON as in docs/contracts/causes.md, and exits with 0 for a named cause', async () => {
    const { code, stdout, stderr } = await runInProcess(['why', '--bundle', archive('force-deleted'), '-o', 'json'])
    expect([code, stderr]).toEqual([0, ''])
    const answer = JSON.parse(stdout) as Answer
    expect(Object.keys(answer).slice(0, 5)).toEqual(['schemaVersion', 'subject', 'verdict', 'alternatives', 'timeline'])
    expect(answer.schemaVersion).toBe(1)
    expect(answer.subject).toMatchObject({
      namespace: 'arc-ads',
      pod: 'ads-4vcpu-n8qcd-runner-w3k7v',
      uid: '5a46ab77-4782-4323-9774-7d3eb770f796',
      node: 'runner-node-1',
      container: 'runner',
      jobId: 88_310_160_420,
    })
    expect(answer.verdict).toMatchObject({
      cause: 'force-deleted',
      kind: 'death',
      actor: 'user:jane.doe@acme.example',
      against: [],
      sentence: expect.stringMatching(/^[A-Z].*while job 88310160420 was running.*\.$/) as string,
    })
    const sources = new Set(answer.verdict.because.map(({ source }) => source))
    expect(sources).toContain('kubernetes/audit')
    expect(answer.alternatives.map(({ cause }) => cause)).not.toContain('force-deleted')
    expect(answer.timeline.map(({ at }) => Date.parse(at))).toEqual(
      answer.timeline.map(({ at }) => Date.parse(at)).toSorted((a, b) => a - b),
    )
  })

  it('shortens container ids in text, and shows the time of a line once', async () => {
    const { stdout } = await runInProcess(['why', '--bundle', archive('force-deleted')])
    expect(stdout).toMatch(/stop-requested: level=info msg="StopContainer for \\"[0-9a-f]{12}\\" with timeout 2/)
    const { stdout: whole } = await runInProcess(['timeline', '--bundle', archive('force-deleted')])
    expect(whole).toMatch(/stop-requested: time="[^"]+" level=info msg="StopContainer for \\"[0-9a-f]{64}\\" with/)
  })

  it.each([
    ['--audit-log', import.meta.filename],
    ['--last-seen', import.meta.filename],
  ])('refuses %s with a bundle', async (...flags) => {
    const { code, stderr } = await runInProcess(['why', '--bundle', archive('force-deleted'), ...flags])
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${flags[0]} cannot be combined with --bundle`)])
  })

  it('hides sources that were not read and are not needed', async () => {
    const args = ['why', '--bundle', archive('force-deleted')]
    const { blind } = JSON.parse((await runInProcess([...args, '-o', 'json'])).stdout) as Blind
    const unasked = blind.filter(({ reason }) => reason.startsWith('not-asked')).map(({ source }) => source)
    expect(unasked).toContain('github/rate-limit')
    const { stdout } = await runInProcess(args)
    expect(stdout).not.toContain('github/rate-limit')
    expect(stdout).toContain('What could not be seen')
  })

  it.each(['text', 'markdown'])(
    'prints in %s, in this order, a sentence, what to do next, facts for and against, and the timeline',
    async (form) => {
      const { stdout } = await runInProcess(['why', '--bundle', archive('killed-in-container'), '-o', form])
      expect(stdout.split('\n')[0]).toMatch(
        /^(?:\*\*)?The runner container of pod \S+ was killed by SIGKILL while job 1?\d+ was running, most likely from inside/,
      )
      const titles = ['What to do next', 'What supports it', 'What could not be seen', 'What happened']
      const places = titles.map((title) => stdout.indexOf(title))
      expect([places.includes(-1), places.toSorted((a, b) => a - b)]).toEqual([false, places])
    },
  )

  it('shows at most 20 rows of the timeline, and all of them with --timeline', async () => {
    const args = ['why', '--bundle', archive('oom-container')]
    const rows = (stdout: string): number =>
      stdout.slice(stdout.indexOf('What happened')).match(/^20\d\d-/gm)?.length ?? 0
    const { stdout } = await runInProcess(args)
    expect([rows(stdout), stdout]).toEqual([20, expect.stringMatching(/… and \d+ more: see --timeline\./)])
    const { timeline } = JSON.parse((await runInProcess([...args, '-o', 'json'])).stdout) as { timeline: unknown[] }
    expect(rows((await runInProcess([...args, '--timeline'])).stdout)).toBe(timeline.length)
  })

  it('is three lines and a title with --brief', async () => {
    const { stdout } = await runInProcess(['why', '--bundle', archive('oom-container'), '--brief'])
    const lines = stdout.split('\n').filter((line) => line !== '')
    expect(lines).toEqual([
      expect.stringContaining('The kernel killed Runner.Listener'),
      'oom-container (death), confidence 99 %',
      'What to do next',
      expect.stringContaining('raise the limit'),
    ])
  })

  it('ranks other causes in words, without percentages that add up to more than 100', async () => {
    const args = ['why', '--bundle', path.join(deaths, '..', 'fresh', 'r000-error-137-status-only.tar.gz')]
    const { stdout } = await runInProcess(args)
    const others = stdout.slice(stdout.indexOf('Other causes'), stdout.indexOf('What happened'))
    expect(others).toMatch(/ {2}(?:likely too|possible|unlikely)$/m)
    expect(others).not.toContain('%')
  })

  it('answers for the subject on the command line, by pod, by namespace and pod, or by job', async () => {
    for (const name of [
      '88310160733',
      'ci-frontend/front-8g-2xzmt-runner-d5c9n',
      'front-8g-2xzmt-runner-d5c9n',
      'https://github.com/acme/storefront/actions/runs/24044771908/job/88310160733',
    ]) {
      const { stdout } = await runInProcess(['why', name, '--bundle', archive('oom-step'), '-o', 'json'])
      expect((JSON.parse(stdout) as Answer).verdict['cause']).toBe('oom-step')
    }
  })

  it('exits with 1 when no cause can be named, and says what was missing', async () => {
    const bundle = folder()
    writeFileSync(
      path.join(bundle, 'meta.json'),
      JSON.stringify({
        schemaVersion: 1,
        collectedAt: '2026-06-06T21:40:00Z',
        subject: { namespace: 'ci', pod: 'r-1' },
        sources: {},
      }),
    )
    const { code, stdout } = await runInProcess(['why', '--bundle', bundle, '-o', 'json'])
    expect(code).toBe(1)
    expect((JSON.parse(stdout) as Answer).verdict).toMatchObject({
      cause: 'unknown',
      kind: 'unknown',
      missing: expect.arrayContaining(['kubernetes/pods', 'journal', 'logs', 'github/jobs']) as string[],
    })
  })

  it('answers for every ended runner, each once, without a subject', async () => {
    const bundle = folder()
    const pod = (name: string, exitCode: number) => ({
      metadata: { name, namespace: 'ci', uid: `uid-${name}`, creationTimestamp: '2026-06-06T21:00:00Z' },
      spec: { nodeName: 'n1', containers: [{ name: 'runner' }] },
      status: {
        phase: 'Failed',
        containerStatuses: [
          {
            name: 'runner',
            state: {
              terminated: {
                exitCode,
                reason: 'OOMKilled',
                startedAt: '2026-06-06T21:00:05Z',
                finishedAt: '2026-06-06T21:10:00Z',
              },
            },
          },
        ],
      },
    })
    writeFileSync(
      path.join(bundle, 'meta.json'),
      JSON.stringify({
        schemaVersion: 1,
        collectedAt: '2026-06-06T21:40:00Z',
        sources: { 'kubernetes/pods': { ok: true } },
      }),
    )
    const { mkdirSync } = await import('node:fs')
    mkdirSync(path.join(bundle, 'kubernetes'))
    const alive = {
      ...pod('r-3', 0),
      status: {
        phase: 'Running',
        containerStatuses: [{ name: 'runner', state: { running: { startedAt: '2026-06-06T21:00:05Z' } } }],
      },
    }
    writeFileSync(
      path.join(bundle, 'kubernetes', 'pods.json'),
      JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [pod('r-1', 137), pod('r-2', 137), alive] }),
    )
    const { code, stdout } = await runInProcess(['why', '--bundle', bundle, '-o', 'json'])
    const { results } = JSON.parse(stdout) as { readonly results: readonly Answer[] }
    expect([code, results.map(({ subject, verdict }) => [subject['pod'], verdict['cause']])]).toEqual([
      0,
      [
        ['r-1', 'oom-container'],
        ['r-2', 'oom-container'],
      ],
    ])
  })

  it('is refused with advice without a subject, without a readable bundle, and for an unknown subject', async () => {
    expect(await runInProcess(['why'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--bundle PATH') as string,
    })
    expect(await runInProcess(['why', '--bundle', path.join(deaths, 'missing')])).toMatchObject({ code: 3 })
    const nobody = await runInProcess(['why', 'nobody', '--bundle', archive('oom-step')])
    expect([nobody.code, nobody.stderr]).toEqual([3, expect.stringContaining('known subjects include: ')])
  })
})

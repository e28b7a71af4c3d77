import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { textAt } from '#/core/basics/fields.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'

const deaths = path.resolve(import.meta.dirname, '..', 'bundles', 'deaths')
const names = readdirSync(deaths).flatMap((file) => (file.endsWith('.tar.gz') ? [file.replace('.tar.gz', '')] : []))
const archive = (name: string) => path.join(deaths, `${name}.tar.gz`)

type Timeline = {
  readonly subject: { readonly namespace: string; readonly pod: string }
  readonly timeline: readonly { readonly at: string; readonly source: string; readonly fact: string }[]
}

async function readTimeline(...args: readonly string[]): Promise<Timeline> {
  const { code, stdout, stderr } = await runInProcess(['timeline', '-o', 'json', ...args])
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as Timeline
}

async function otherPods(name: string, own: string): Promise<readonly string[]> {
  const opening = await openBundle(archive(name), BUNDLE_LIMITS, new AbortController().signal)
  if (opening.kind === 'refused') throw new Error(opening.why)
  await using bundle = opening.bundle
  const pods = await bundle.list('pods')
  if (pods.kind !== 'seen') throw new Error('no pods')
  return pods.value.map((pod) => textAt(pod, 'metadata', 'name') ?? '').filter((other) => other !== own)
}

describe('the timeline of a recorded death', () => {
  it.each(names)('has %s in order of time, and nothing of any other pod', async (name) => {
    const { subject, timeline } = await readTimeline('--bundle', archive(name))
    expect(timeline.length).toBeGreaterThan(5)
    expect(timeline.map(({ at }) => at)).toEqual(timeline.map(({ at }) => at).toSorted())
    const others = await otherPods(name, subject.pod)
    const foreign = timeline.filter(({ fact }) => others.some((other) => fact.includes(`/${other}`)))
    expect(foreign).toEqual([])
  })

  it.each([
    ['force-deleted', 'kubernetes/audit', 'jane.doe@acme.example requested: delete pods with grace 0 s'],
    ['oom-step', 'journal/runner-node-1', 'oom-kill: '],
    ['oom-step', 'kubernetes/pods', 'container runner ended: exit code 0, OOMKilled'],
    ['image-pull', 'kubernetes/events', 'Failed: Failed to pull image'],
    ['evicted-own-limit', 'kubernetes/events', 'Evicted: '],
    ['drain-without-trap', 'kubernetes/audit', 'create pods/eviction'],
    ['process-crash-segv', 'journal/runner-node-1', 'container-exit: '],
  ])('of %s has from %s: %s', async (name, source, fact) => {
    const { timeline } = await readTimeline('--bundle', archive(name))
    expect(timeline.some((entry) => entry.source === source && entry.fact.includes(fact))).toBe(true)
  })

  it('is found by the job id too', async () => {
    const byPod = await readTimeline('--bundle', archive('oom-step'))
    const byJob = await readTimeline('88310160733', '--bundle', archive('oom-step'))
    expect(byJob.timeline).toEqual(byPod.timeline)
  })

  it('is refused with advice when the subject or bundle does not exist or is missing', async () => {
    const unknown = await runInProcess(['timeline', 'nobody', '--bundle', archive('oom-step')])
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('known subjects include: ')])
    expect(await runInProcess(['timeline', '--bundle', path.join(deaths, 'missing')])).toMatchObject({ code: 3 })
    expect(await runInProcess(['timeline'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--bundle PATH') as string,
    })
  })
})

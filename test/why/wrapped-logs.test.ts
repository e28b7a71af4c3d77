import { describe, expect, it } from 'vitest'

import type { LogName } from '#/core/evidence/bundle-path.ts'
import { seen } from '#/core/basics/observed.ts'
import type { Bundle } from '#/ports/bundle.ts'
import type { JudgedSubject } from '#/runtime/why/judge-bundle.ts'
import { JUDGED_BUNDLES } from '#test/bundles/known-bundles.ts'
import { judgeKnown, openKnown } from '#test/bundles/open-known.ts'
import { sampled } from '#test/tiers/long-run.ts'

/** How tools that save logs write a line that `kubectl logs --timestamps` gave them. */
type Wrap = (line: { readonly time: string; readonly text: string }, name: LogName) => string
const WRAPS: Readonly<Record<string, Wrap>> = {
  docker: ({ time, text }) => JSON.stringify({ log: `${text}\n`, stream: 'stdout', time }),
  cri: ({ time, text }) => {
    const half = Math.floor(text.length / 2)
    return `${time} stdout P ${text.slice(0, half)}\n${time} stdout F ${text.slice(half)}`
  },
  loki: ({ time, text }, { pod }) => JSON.stringify({ labels: { pod }, line: text, timestamp: time }),
  prefix: ({ time, text }, { pod, container }) => `[pod/${pod}/${container}] ${time} ${text}`,
  stern: ({ time, text }, { pod, container }) => `${pod} ${container} ${time} ${text}`,
  crlf: ({ time, text }) => `${time} ${text}\r`,
}

const STAMPED = /^(?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*) (?<text>.*)$/

function wrapLog(log: string, name: LogName, wrap: Wrap): string | null {
  const lines = log.split('\n').filter((line) => line !== '')
  const read = lines.map((line) => STAMPED.exec(line)?.groups)
  // A log without times, or one that is wrapped already, cannot be wrapped as the tool would have done it.
  if (read.some((groups) => groups === undefined || /^std(?:out|err) [FP]/.test(groups['text'] ?? ''))) return null
  const wrapped = read.map((groups) => wrap({ time: groups?.['time'] ?? '', text: groups?.['text'] ?? '' }, name))
  return `${wrapped.join('\n')}\n`
}

function withWrappedLogs(bundle: Bundle, wrap: Wrap): Bundle {
  return {
    ...bundle,
    log: async (name) => {
      const log = await bundle.log(name)
      const wrapped = log.kind === 'seen' ? wrapLog(log.value, name, wrap) : null
      return wrapped === null ? log : seen(wrapped)
    },
  }
}

function outline(judged: JudgedSubject | null): unknown {
  const { cause, confidence, actor } = judged?.verdict ?? {}
  return { cause, confidence, actor, timeline: judged?.timeline.map(({ at, fact }) => `${at} ${fact}`) }
}

describe('a log saved in the form of another tool gives the same verdict and timeline', () => {
  const bundles = sampled(JUDGED_BUNDLES, 8)
  it.each(bundles.map((known) => [known.name, known] as const))('%s', async (_name, { archive }) => {
    await using bundle = await openKnown(archive)
    const plain = outline(await judgeKnown(bundle))
    for (const [tool, wrap] of Object.entries(WRAPS)) {
      const wrapped = outline(await judgeKnown(withWrappedLogs(bundle, wrap)))
      expect({ tool, wrapped }).toEqual({ tool, wrapped: plain })
    }
  })
})

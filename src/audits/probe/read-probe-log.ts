import { readLogLine } from '#/core/evidence/log-line.ts'
import { BUNDLE_RESULTS, REACH_RESULTS } from '#/core/fleet/probe-answer.ts'
import type { ProbeAnswer, ProbedBundle, ProbedTarget } from '#/core/fleet/probe-answer.ts'
import { PROBE_MARK } from './probe-script.ts'

export type ProbeResults = Pick<ProbeAnswer, 'targets' | 'bundles' | 'variables'>

/** The script's output; null if it did not finish: half an answer does not count. */
export function readProbeLog(log: string): ProbeResults | null {
  const lines = log.split('\n').flatMap((raw) => {
    const { text } = readLogLine(raw)
    return text.startsWith(`${PROBE_MARK} `) ? [text.slice(PROBE_MARK.length + 1).trimEnd()] : []
  })
  if (lines.at(-1) !== 'done') return null
  return {
    targets: lines.flatMap((line) => readTarget(line) ?? []),
    bundles: lines.flatMap((line) => readBundle(line) ?? []),
    variables: lines.flatMap((line) => {
      const groups = /^variable (?<name>\w+) (?<state>set|unset)$/.exec(line)?.groups
      return groups === undefined ? [] : [{ name: groups['name'] ?? '', isSet: groups['state'] === 'set' }]
    }),
  }
}

function readTarget(line: string): ProbedTarget | null {
  const groups = /^target (?<from>\w+) (?<host>[\w.-]{1,253}) (?<port>\d{1,5}) (?<result>[a-z-]+)$/.exec(line)?.groups
  const result = REACH_RESULTS.find((known) => known === groups?.['result'])
  if (groups === undefined || result === undefined) return null
  return { from: groups['from'] ?? '', host: groups['host'] ?? '', port: Number(groups['port']), result }
}

function readBundle(line: string): ProbedBundle | null {
  const groups = /^bundle (?<variable>\w+) (?<result>[a-z-]+) (?<path>.+)$/.exec(line)?.groups
  const result = BUNDLE_RESULTS.find((known) => known === groups?.['result'])
  if (groups === undefined || result === undefined) return null
  return { variable: groups['variable'] ?? '', path: groups['path'] ?? '', result }
}

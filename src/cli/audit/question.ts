import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { didYouMean } from '#/core/basics/did-you-mean.ts'
import type { BundleSubject } from '#/core/evidence/bundle-meta.ts'
import type { Audit, Question } from '#/core/audit/audit.ts'
import { namesSet } from '#/core/fleet-file/fleet-file.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { SEVERITIES } from '#/core/audit/finding.ts'
import { MOMENT_FORM, parseMoment } from '#/core/basics/moment.ts'
import { AUDITS } from '#/audits/index.ts'
import type { FailOn } from './fail-on.ts'
import { parseFailOn } from './fail-on.ts'

export type AskedFlags = {
  readonly 'runner-name': string | undefined
  readonly runner: string | undefined
  readonly at: string | undefined
  readonly 'include-label': readonly string[]
  readonly node: readonly string[]
  readonly 'scale-set': readonly string[]
}

/** The question from the flags; otherwise the bundle's own subject. */
export function toQuestion(flags: AskedFlags, now: number, subject: BundleSubject = {}): Question {
  const at = flags.at === undefined ? null : parseMoment(flags.at, now)
  if (flags.at !== undefined && at === null) {
    throw new CommandFailure(EXIT.usage, `--at ${flags.at} is not ${MOMENT_FORM}`)
  }
  return {
    runner: flags['runner-name'] ?? flags.runner ?? subject.runner ?? subject.pod ?? null,
    at,
    labels: flags['include-label'],
    nodes: flags.node,
    scaleSets: flags['scale-set'],
  }
}

export function namedAudits(ids: readonly string[]): readonly Audit[] {
  return ids.length === 0 ? AUDITS : AUDITS.filter(({ id }) => ids.includes(id))
}

export function toFailOn(texts: readonly string[]): readonly FailOn[] {
  const classes = new Set(['blind', ...AUDITS.flatMap((audit) => audit.classes.map((one) => one.class))])
  return texts.map((word) => {
    const rule = parseFailOn(word, classes)
    if (rule !== null) return rule
    const meant = didYouMean(word, [...SEVERITIES, ...classes])
    throw new CommandFailure(EXIT.usage, `--fail-on ${word}: unknown severity or class`, [
      meant.length === 0 ? 'list the classes: signalbox explain' : `did you mean ${meant.join(' or ')}?`,
    ])
  })
}

/** A typo in a pipeline must not look like a healthy fleet. */
export function refuseUnknownNames(fleet: Fleet, { labels, scaleSets, nodes }: Question): void {
  const lanes = new Set(fleet.lanes.map(({ label }) => label.toLowerCase()))
  const areSetsKnown = fleet.saw('kubernetes/autoscalingrunnersets')
  const unknown = [
    ...(areSetsKnown ? labels.filter((label) => !lanes.has(label.toLowerCase())) : []),
    ...(areSetsKnown ? scaleSets.filter((name) => !fleet.sets.some((set) => namesSet([name], set))) : []),
    ...(fleet.saw('kubernetes/nodes') ? nodes.filter((name) => !fleet.nodes.some((node) => node.name === name)) : []),
  ]
  if (unknown.length === 0) return
  const known = [...lanes, ...fleet.nodes.map(({ name }) => name)].slice(0, 20)
  throw new CommandFailure(EXIT.blind, `the fleet has no ${unknown.join(', ')}`, [
    known.length === 0 ? 'no lanes or nodes were read' : `known names include: ${known.join(', ')}`,
  ])
}

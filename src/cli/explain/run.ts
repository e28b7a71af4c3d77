import { AUDITS } from '#/audits/index.ts'
import { CAUSES } from '#/causes/index.ts'
import { UNKNOWN } from '#/cli/pages/cause-pages.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { explainFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { Section, Output } from '#/cli/output/print-output.ts'
import { wrap } from '#/cli/output/wrap.ts'
import { didYouMean } from '#/core/basics/did-you-mean.ts'
import { POLICIES } from '#/core/interlock/policies/index.ts'
import { GATES } from '#/gates/index.ts'

const WIDTH = 100

type Entry = {
  readonly kind: 'class' | 'audit' | 'cause' | 'gate' | 'policy'
  readonly name: string
  readonly data: object
  readonly text: string
}

export async function run({ args, flags, terminal }: CommandContext<typeof explainFlags>): Promise<ExitCode> {
  const entries = allEntries()
  const [name] = args
  if (name === undefined) {
    await printOutput(terminal, flags.output, renderList(entries))
    return EXIT.ok
  }
  const found = entries.filter((entry) => entry.name === name.toLowerCase())
  if (found.length === 0) {
    const meant = didYouMean(name, [...new Set(entries.map((entry) => entry.name))])
    throw new CommandFailure(EXIT.usage, `no such class, audit, cause, gate or policy: ${name}`, [
      meant.length === 0 ? 'list all: signalbox explain' : `did you mean ${meant.join(' or ')}?`,
    ])
  }
  await printOutput(terminal, flags.output, {
    data: { name: found[0]?.name, meanings: found.map(({ kind, data }) => ({ kind, ...data })) },
    sections: found.map((entry): Section => ({
      title: `${entry.name} (${entry.kind})`,
      text: wrap(entry.text, Math.min(WIDTH, terminal.columns ?? WIDTH)),
    })),
  })
  return EXIT.ok
}

function allEntries(): readonly Entry[] {
  const classes = AUDITS.flatMap((audit) =>
    audit.classes.map((one): Entry => ({
      kind: 'class',
      name: one.class,
      data: { audit: audit.id, severity: one.severity, meaning: one.meaning, next: one.next },
      text: `Found by signalbox audit ${audit.id}; severity ${one.severity}.\n\n${sentence(one.meaning)}\n\nWhat to do: ${one.next}\n\nIt reads ${audit.reads.map(({ source }) => source).join(', ')}.\n`,
    })),
  )
  const audits = AUDITS.map((audit): Entry => ({
    kind: 'audit',
    name: audit.id,
    data: { asks: audit.asks, about: audit.about, classes: audit.classes.map((one) => one.class) },
    text: `Asks: ${audit.asks}\n\n${audit.about}\n\nClasses: ${audit.classes.map((one) => one.class).join(', ')}.\n`,
  }))
  const causes = [...CAUSES, UNKNOWN].map((cause): Entry => ({
    kind: 'cause',
    name: cause.id,
    data: { meaning: cause.meaning, distinguishedBy: cause.distinguishedBy, settledBy: cause.settledBy },
    text: `${sentence(cause.meaning)}\n\nHow to recognise it: ${cause.distinguishedBy}\n${cause.settledBy.length === 0 ? '' : `\nWhat proves it: ${cause.settledBy.join(', ')}.\n`}`,
  }))
  return [...classes, ...audits, ...causes, ...gateEntries(), ...policyEntries()]
}

function gateEntries(): readonly Entry[] {
  return GATES.map(({ id, proof, about, toSeeIt }) => ({
    kind: 'gate',
    name: id,
    data: { proof, about, toSeeIt },
    text: `A gate of signalbox reap. Proof: ${proof}.\n\n${about}\n\nWhen it is blind: ${toSeeIt}.\n`,
  }))
}

function policyEntries(): readonly Entry[] {
  return POLICIES.map(({ id, removes, about, needs }) => ({
    kind: 'policy',
    name: id,
    data: { removes, about, needs },
    text: `A policy of signalbox reap. It removes ${removes}.\n\n${about}\n\nIt needs ${needs.join(', ')}.\n`,
  }))
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}

function renderList(entries: readonly Entry[]): Output {
  const rows = entries.map(({ kind, name, data }) => ({
    kind,
    name,
    audit: 'audit' in data ? String(data.audit) : null,
  }))
  return {
    data: { entries: rows },
    sections: [
      {
        table: {
          columns: ['name', 'kind', 'audit'],
          rows: rows.map(({ kind, name, audit }) => [name, kind, audit ?? '']),
        },
      },
    ],
  }
}

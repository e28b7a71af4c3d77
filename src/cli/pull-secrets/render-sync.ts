import { redacted } from '#/cli/audit/render-audit.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import type { Output, Section } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { OPERATE_ADVICE } from '#/cli/reap/apply/rights.ts'
import type { CopyPlan } from '#/core/pull-secrets/plan-copy.ts'
import { describeHolder } from './perform-sync.ts'
import type { SyncDone, SyncLook } from './perform-sync.ts'

type Row = { readonly original: string; readonly copy: string; readonly state: string; readonly why: string }
type ListenerLine = {
  readonly pod: string
  readonly scaleSet: string | null
  readonly state: string
  readonly why: string
}

export function renderLook({ copies, listeners, blind }: SyncLook, isApplied = false): Output {
  const rows = copies.map(({ copy, plan }) => toRow(copy, WOULD[plan.kind], describePlan(plan)))
  const lines = listeners.map(({ namespace, name, scaleSet, reason }): ListenerLine => {
    return { pod: `${namespace}/${name}`, scaleSet, state: 'would recreate', why: reason }
  })
  const isDue = copies.some(({ plan }) => plan.kind === 'create' || plan.kind === 'update') || lines.length > 0
  const next = isDue ? ' Apply it: signalbox pull-secrets sync --fleet FILE --apply' : ''
  return toOutput({
    applied: false,
    rows,
    lines,
    blind,
    last: isApplied ? 'There is nothing to do.' : `This is a dry run: nothing was changed.${next}`,
  })
}

const WOULD: Readonly<Record<CopyPlan['kind'], string>> = {
  same: 'equal',
  create: 'would create',
  update: 'would update',
  refused: 'refused',
  blind: 'blind',
}

function describePlan(plan: CopyPlan): string {
  switch (plan.kind) {
    case 'same':
      return plan.digest
    case 'create':
    case 'update':
      return `${plan.had ?? 'none'} → ${plan.digest}`
    case 'refused':
    case 'blind':
      return plan.why
  }
}

export function renderDone({ copies, listeners, blind }: SyncDone, where: string): Output {
  const rows = copies.map(({ copy, plan, result }) => {
    if (result === null || result.kind === 'same') return toRow(copy, 'equal', describePlan(plan))
    if (result.kind === 'done') return toRow(copy, 'applied', describePlan(plan))
    return toRow(copy, result.kind, explain(result))
  })
  const lines = listeners.map(({ pod, result }): ListenerLine => {
    const state = result.kind === 'done' ? 'recreated' : result.kind
    return { pod: `${pod.namespace}/${pod.name}`, scaleSet: pod.scaleSet, state, why: explain(result) }
  })
  return toOutput({ applied: true, rows, lines, blind, last: `Ledger: ${where}` })
}

type Ended = NonNullable<SyncDone['copies'][number]['result']> | SyncDone['listeners'][number]['result']

function explain(result: Ended): string {
  switch (result.kind) {
    case 'taken':
      return `${describeHolder(result.row)} has it under way`
    case 'fenced':
      return 'another leader acts now'
    default: {
      const advice = /\bcannot (?:patch|create|delete) resource\b/u.test(result.why) ? `; ${OPERATE_ADVICE}` : ''
      const take = result.why.startsWith('another field manager') ? '; --force-conflicts takes it over' : ''
      return `${result.why}${take}${advice}`
    }
  }
}

function toRow(
  { name, from, to }: { readonly name: string; readonly from: string; readonly to: string },
  state: string,
  why: string,
): Row {
  return { original: `${from}/${name}`, copy: `${to}/${name}`, state, why }
}

type Printed = {
  readonly applied: boolean
  readonly rows: readonly Row[]
  readonly lines: readonly ListenerLine[]
  readonly blind: readonly string[]
  readonly last: string
}

function toOutput({ applied, rows, lines, blind, last }: Printed): Output {
  const clean = (text: string): string => printable(redacted(text))
  const sections: Section[] = [
    {
      table: {
        columns: ['original', 'copy', 'state', 'why'],
        rows: rows.map(({ original, copy, state, why }) => [original, copy, state, clean(why)]),
      },
    },
  ]
  if (lines.length > 0) {
    sections.push({
      title: 'Listeners that wait for their image',
      table: {
        columns: ['pod', 'set', 'state', 'why'],
        rows: lines.map(({ pod, scaleSet, state, why }) => [pod, scaleSet ?? '', state, clean(why)]),
      },
    })
  }
  const unread = blind.map((line) => `Listeners could not be read in ${clean(line)}`)
  sections.push({ text: [...unread, last].join('\n') })
  return { data: redacted({ applied, copies: rows, listeners: lines, blind }), sections }
}

/** A dry run exits like diff: 1 if something differs. */
export function lookExit({ copies, listeners, blind }: SyncLook): ExitCode {
  const has = (kind: CopyPlan['kind']): boolean => copies.some(({ plan }) => plan.kind === kind)
  if (has('blind') || blind.length > 0) return EXIT.blind
  if (has('refused')) return EXIT.refused
  return has('create') || has('update') || listeners.length > 0 ? EXIT.failed : EXIT.ok
}

export function doneExit({ copies, listeners, blind }: SyncDone): ExitCode {
  const kinds = new Set([...copies, ...listeners].map(({ result }) => result?.kind ?? 'same'))
  if (kinds.has('failed') || kinds.has('taken') || kinds.has('fenced')) return EXIT.failed
  if (kinds.has('blind') || blind.length > 0) return EXIT.blind
  return kinds.has('refused') ? EXIT.refused : EXIT.ok
}

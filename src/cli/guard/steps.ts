import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import type { Output } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { describeReason } from '#/core/basics/observed.ts'
import type { WriteOutcome } from '#/ports/kubernetes.ts'

/** What was done, or would be, with one object. */
export type GuardStep = {
  readonly kind: string
  readonly namespace: string | null
  readonly name: string
  readonly result: 'unchanged' | 'created' | 'changed' | 'removed' | 'vanished' | 'planned' | 'failed' | 'blind'
  readonly detail: string
}

/** Null: it is done. */
export function findTrouble(outcome: WriteOutcome): Pick<GuardStep, 'result' | 'detail'> | null {
  switch (outcome.kind) {
    case 'done':
      return null
    case 'gone':
      return { result: 'vanished', detail: 'somebody else removed it' }
    case 'blind':
      return { result: 'blind', detail: describeReason(outcome.reason) }
    case 'conflict':
      return { result: 'failed', detail: `${outcome.message}; change it where it comes from (signalbox guard print)` }
    case 'forbidden':
    case 'refused':
      return { result: 'failed', detail: outcome.message }
  }
}

export function renderSteps(steps: readonly GuardStep[], data: Readonly<Record<string, unknown>>): Output {
  const rows = steps.map(({ kind, namespace, name, result, detail }) =>
    [kind, namespace ?? '-', name, result, detail].map(printable),
  )
  const table = { columns: ['kind', 'namespace', 'name', 'result', 'detail'], rows }
  return { data: { ...data, steps }, sections: [steps.length === 0 ? { text: 'There is nothing to do.' } : { table }] }
}

export function stepsExit(steps: readonly GuardStep[]): ExitCode {
  if (steps.some(({ result }) => result === 'failed')) return EXIT.failed
  return steps.some(({ result }) => result === 'blind') ? EXIT.blind : EXIT.ok
}

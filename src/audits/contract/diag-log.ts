import { readEnv, setSubject, valuesName } from './runner-template.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { templateRunner } from '#/core/kubernetes/runner-container.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

export const DIAG_VARIABLE = 'ACTIONS_RUNNER_PRINT_LOG_TO_STDOUT'

/** The runner's own account of its end is in `_diag`, which goes with the pod unless it is printed. */
export function diagNotOnStdout(set: ScaleSet): readonly Finding[] {
  const runner = templateRunner(set.template)
  if (runner === null) return []
  const others = [...listAt(set.template, 'containers'), ...listAt(set.template, 'initContainers')].filter(
    (container) => textAt(container, 'name') !== 'runner' && isPrinting(container) === true,
  )
  const names = others.map((container) => textAt(container, 'name') ?? '')
  const isPrinted = isPrinting(runner) !== false
  if (isPrinted && names.length === 0) return []
  return [
    {
      class: 'diag-not-on-stdout',
      severity: 'info',
      subject: setSubject(set),
      evidence: [
        ...(isPrinted
          ? []
          : [
              `container runner has no ${DIAG_VARIABLE}=1: its _diag log, which says why a runner ended, goes with the pod`,
            ]),
        ...names.map((name) => `container ${name} has ${DIAG_VARIABLE}, but it is not the runner`),
      ],
      hint: [
        ...(isPrinted ? [] : [`set ${DIAG_VARIABLE}=1 in the env of container runner in ${valuesName(set)}`]),
        ...(names.length === 0 ? [] : [`remove it from ${names.join(', ')}`]),
      ].join(', and '),
      fields: { containers: names },
    },
  ]
}

/** Null if the value comes from elsewhere. */
function isPrinting(container: unknown): boolean | null {
  const value = readEnv(container, DIAG_VARIABLE)
  if (value.kind === 'text') return /^(?:1|true|yes|on)$/i.test(value.text.trim())
  return value.kind === 'elsewhere' || listAt(container, 'envFrom').length > 0 ? null : false
}

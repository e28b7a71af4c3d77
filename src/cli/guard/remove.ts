import type { CommandContext } from '#/cli/frame/context.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { describeReason } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { WriteOutcome } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { removeGuardObject } from '#/runtime/act/remove-guard.ts'
import { findGuardObjects, findStamped } from '#/runtime/guard/guard-objects.ts'
import { writeStamp } from '#/runtime/guard/write-stamp.ts'
import type { removeFlags } from './command.ts'
import { openGuardCluster } from './open.ts'
import { findTrouble, renderSteps, stepsExit } from './steps.ts'
import type { GuardStep } from './steps.ts'

/** The stamps last: while a policy is there, a runner without one could be deleted. */
export async function run(context: CommandContext<typeof removeFlags>): Promise<ExitCode> {
  const { flags, terminal, signal } = context
  await using open = await openGuardCluster(context)
  const { kubernetes, namespaces, config } = open
  const isDry = flags['dry-run']
  const steps: GuardStep[] = []
  for (const { kind, objects } of await findGuardObjects(kubernetes, namespaces, signal)) {
    const act = (object: KubeObject) => removeGuardObject(kubernetes, { kind, object }, signal)
    steps.push(...(await forEach({ kind, objects, isDry, what: '' }, act)))
  }
  for (const { kind, objects } of await findStamped(kubernetes, namespaces, signal)) {
    const act = (object: KubeObject) => writeStamp(kubernetes, { object, kind, because: null }, signal)
    steps.push(...(await forEach({ kind, objects, isDry, what: 'its stamp' }, act)))
  }
  await printOutput(terminal, flags.output, renderSteps(steps, { namespaces, dryRun: isDry }))
  if (config.guard.stamp)
    terminal.notice('guard.stamp is on: signalbox serve sets the stamps again until you turn it off.')
  return stepsExit(steps)
}

type Found = {
  readonly kind: string
  readonly objects: Observed<readonly KubeObject[]>
  readonly isDry: boolean
  readonly what: string
}

async function forEach(
  { kind, objects, isDry, what }: Found,
  act: (object: KubeObject) => Promise<WriteOutcome>,
): Promise<readonly GuardStep[]> {
  if (objects.kind === 'none') return []
  if (objects.kind === 'blind') {
    return [{ kind, namespace: null, name: '-', result: 'blind', detail: describeReason(objects.reason) }]
  }
  const steps: GuardStep[] = []
  for (const object of objects.value) {
    const about = { kind, namespace: object.metadata.namespace ?? null, name: object.metadata.name }
    if (isDry) steps.push({ ...about, result: 'planned', detail: `would be removed${what === '' ? '' : `: ${what}`}` })
    else steps.push({ ...about, ...(findTrouble(await act(object)) ?? { result: 'removed', detail: what }) })
  }
  return steps
}

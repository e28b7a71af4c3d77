import type { CommandContext } from '#/cli/frame/context.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { buildBudget, buildGuard } from '#/core/guard/manifests.ts'
import type { GuardManifest } from '#/core/guard/manifests.ts'
import { removeGuardObject } from '#/runtime/act/remove-guard.ts'
import { applyPiece, readPiece, toGuardRef } from '#/runtime/guard/guard-objects.ts'
import type { applyFlags } from './command.ts'
import { openGuardCluster } from './open.ts'
import type { OpenGuard } from './open.ts'
import { findTrouble, renderSteps, stepsExit } from './steps.ts'
import type { GuardStep } from './steps.ts'

export async function run(context: CommandContext<typeof applyFlags>): Promise<ExitCode> {
  const { flags, terminal, signal } = context
  await using open = await openGuardCluster(context)
  const { namespaces, config } = open
  const terms = { isDry: flags['dry-run'], signal }
  const steps: GuardStep[] = []
  for (const manifest of buildGuard({ mode: flags.mode, namespaces })) {
    signal.throwIfAborted()
    steps.push(await applyOne(open, manifest, terms))
  }
  if (flags.mode === 'audit') {
    for (const namespace of namespaces) steps.push(...(await dropBudget(open, buildBudget(namespace), terms)))
  }
  const data = { mode: flags.mode, namespaces, dryRun: flags['dry-run'] }
  await printOutput(terminal, flags.output, renderSteps(steps, data))
  if (!config.guard.stamp) {
    terminal.notice(
      'The policies refuse only what is stamped. Turn on guard.stamp where signalbox serve runs (guard.enabled in the chart).',
    )
  }
  return stepsExit(steps)
}

type Terms = { readonly isDry: boolean; readonly signal: AbortSignal }

async function applyOne(
  { kubernetes }: OpenGuard,
  manifest: GuardManifest,
  { isDry, signal }: Terms,
): Promise<GuardStep> {
  const about = describe(manifest)
  const { state, detail } = await readPiece(kubernetes, manifest, signal)
  if (state === 'blind') return { ...about, result: 'blind', detail }
  if (state === 'ok') return { ...about, result: 'unchanged', detail }
  if (isDry) return { ...about, result: 'planned', detail: state === 'missing' ? 'would be created' : detail }
  const trouble = findTrouble(await applyPiece(kubernetes, manifest, signal))
  const done =
    state === 'missing' ? ({ result: 'created', detail: '' } as const) : ({ result: 'changed', detail } as const)
  return { ...about, ...(trouble ?? done) }
}

/** Of the mode deny, if it was applied before. */
async function dropBudget(
  { kubernetes }: OpenGuard,
  manifest: GuardManifest,
  { isDry, signal }: Terms,
): Promise<readonly GuardStep[]> {
  const live = await kubernetes.get(toGuardRef(manifest), signal)
  if (live.kind !== 'seen') return []
  const about = describe(manifest)
  const detail = 'a budget refuses evictions, which the mode audit does not'
  if (isDry) return [{ ...about, result: 'planned', detail }]
  const outcome = await removeGuardObject(kubernetes, { kind: manifest.kind, object: live.value }, signal)
  return [{ ...about, ...(findTrouble(outcome) ?? { result: 'removed', detail }) }]
}

function describe({
  kind,
  metadata: { namespace, name },
}: GuardManifest): Pick<GuardStep, 'kind' | 'namespace' | 'name'> {
  return { kind, namespace: namespace ?? null, name }
}

import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { Output } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { describeReason } from '#/core/basics/observed.ts'
import { readMode } from '#/core/guard/compare-guard.ts'
import type { GuardPiece } from '#/core/guard/compare-guard.ts'
import { buildGuard } from '#/core/guard/manifests.ts'
import type { GuardMode } from '#/core/guard/manifests.ts'
import { readBreakGlass, readStampReason } from '#/core/guard/stamp.ts'
import { findStamped, readPiece, toGuardRef } from '#/runtime/guard/guard-objects.ts'
import type { FoundStamps } from '#/runtime/guard/guard-objects.ts'
import type { statusFlags } from './command.ts'
import { openGuardCluster } from './open.ts'
import type { OpenGuard } from './open.ts'

export async function run(context: CommandContext<typeof statusFlags>): Promise<ExitCode> {
  const { flags, terminal, signal } = context
  await using open = await openGuardCluster(context)
  const { kubernetes, namespaces } = open
  const mode = await findMode(open, signal)
  const manifests = buildGuard({ mode: mode ?? 'deny', namespaces })
  const pieces = await Promise.all(manifests.map((manifest) => readPiece(kubernetes, manifest, signal)))
  const stamps = await findStamped(kubernetes, namespaces, signal)
  await printOutput(terminal, flags.output, render({ mode, namespaces, pieces, stamps }))
  const states = new Set(pieces.map(({ state }) => state))
  if (states.has('missing')) terminal.notice('Apply what is missing: signalbox guard apply --mode audit|deny')
  if (states.has('blind') || stamps.some(({ objects }) => objects.kind === 'blind')) return EXIT.blind
  return states.has('missing') || states.has('different') ? EXIT.failed : EXIT.ok
}

/** By the bindings; null where there is none, or they differ. */
async function findMode({ kubernetes }: OpenGuard, signal: AbortSignal): Promise<GuardMode | null> {
  const bindings = buildGuard({ mode: 'audit', namespaces: [] }).filter(({ kind }) => kind.endsWith('Binding'))
  const live = await Promise.all(bindings.map((binding) => kubernetes.get(toGuardRef(binding), signal)))
  const modes = new Set(live.map((one) => (one.kind === 'seen' ? readMode(one.value) : null)))
  const [mode = null] = modes
  return modes.size === 1 ? mode : null
}

type Shown = {
  readonly mode: GuardMode | null
  readonly namespaces: readonly string[]
  readonly pieces: readonly GuardPiece[]
  readonly stamps: readonly FoundStamps[]
}

function render({ mode, namespaces, pieces, stamps }: Shown): Output {
  const objects = pieces.map(({ manifest: { kind, metadata }, state, detail }) => {
    return { kind, namespace: metadata.namespace ?? null, name: metadata.name, state, detail }
  })
  const stamped = stamps.flatMap(({ kind, objects: found }) =>
    found.kind !== 'seen'
      ? []
      : found.value.map((object) => ({
          kind,
          namespace: object.metadata.namespace ?? null,
          name: object.metadata.name,
          why: readStampReason(object) ?? 'not by signalbox serve',
          breakGlass: readBreakGlass(object),
        })),
  )
  const unread = stamps.flatMap(({ kind, objects: found }) =>
    found.kind === 'blind' ? [`${kind}: ${describeReason(found.reason)}`] : [],
  )
  const where = `in ${namespaces.join(', ')}`
  const isInForce = mode !== null && objects.every(({ state }) => state === 'ok')
  const summary = `The guard is ${isInForce ? `in force: mode ${mode}` : `not in force as it should be${mode === null ? '' : `: mode ${mode}`}`}, ${where}.`
  return {
    data: { mode, namespaces, objects, stamped, unread },
    sections: [
      { text: summary },
      {
        title: 'Objects',
        table: {
          columns: ['kind', 'namespace', 'name', 'state', 'detail'],
          rows: objects.map(({ kind, namespace, name, state, detail }) =>
            [kind, namespace ?? '-', name, state, detail].map(printable),
          ),
        },
      },
      stamped.length === 0
        ? {
            text:
              unread.length === 0 ? 'No runner is stamped.' : `Stamped runners could not be read: ${unread.join('; ')}`,
          }
        : {
            title: 'Guarded runners',
            table: {
              columns: ['kind', 'namespace', 'name', 'why'],
              rows: stamped.map(({ kind, namespace, name, why, breakGlass }) =>
                [kind, namespace ?? '-', name, breakGlass === null ? why : `broken glass: ${breakGlass}`].map(
                  printable,
                ),
              ),
            },
          },
    ],
  }
}

import type { Output } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { printAge } from '#/core/basics/age.ts'
import type { HeldPod } from '#/core/pools/reconcile/held-pod.ts'

export type ReleaseLine = {
  readonly pod: HeldPod
  readonly state: 'would release' | 'stays' | 'released' | 'refused' | 'failed'
  readonly why: string
}

type Around = { readonly blind: readonly string[]; readonly now: number; readonly isDry: boolean }

export function renderRelease(lines: readonly ReleaseLine[], { blind, now, isDry }: Around): Output {
  const columns = ['pod', 'pool', 'deleted', 'state', 'why']
  const rows = lines.map(({ pod: { namespace, name, scope, deletedAt }, state, why }) =>
    [`${namespace}/${name}`, scope, deletedAt === null ? '-' : printAge(deletedAt, now), state, why].map(printable),
  )
  const isDue = lines.some(({ state }) => state === 'would release')
  const notes = [
    ...blind.map((why) => ({ text: printable(`Not read: ${why}`) })),
    ...(lines.length === 0 && blind.length === 0 ? [{ text: 'No pod is held by our finalizer.' }] : []),
    ...(isDry && isDue ? [{ text: 'This is a dry run: nothing was changed. Add --yes to release them.' }] : []),
  ]
  const pods = lines.map(({ pod: { namespace, name, uid, scope, deletedAt }, state, why }) => {
    return { namespace, name, uid, pool: scope, deletedAt: toText(deletedAt), state, why }
  })
  return { data: { pods, blind }, sections: [...(rows.length === 0 ? [] : [{ table: { columns, rows } }]), ...notes] }
}

function toText(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

import type { LivePods } from '#/ports/store/live-pods.ts'
import { asStored } from './as-stored.ts'
import { byText } from './tables.ts'
import type { Tables } from './tables.ts'

export function memoryLivePods({ livePods, postmortems }: Tables): LivePods {
  return {
    put: async (added) => {
      for (const one of added) {
        const known = livePods.get(one.uid)
        if (known !== undefined && known.seenAt > one.seenAt) continue
        livePods.set(one.uid, { ...one, object: asStored(one.object ?? null) })
      }
    },
    remove: async (uids) => {
      for (const uid of uids) livePods.delete(uid)
    },
    page: async (after, limit) =>
      [...livePods.values()]
        .filter(({ uid }) => after === null || byText(uid, after) > 0)
        .sort((a, b) => byText(a.uid, b.uid))
        .slice(0, limit),
    named: async (pod, limit) =>
      [...livePods.values()]
        .filter((one) => one.pod === pod && !postmortems.has(one.uid))
        .sort((a, b) => b.seenAt - a.seenAt || byText(a.uid, b.uid))
        .slice(0, limit)
        .map(({ object: _object, ...known }) => known),
  }
}

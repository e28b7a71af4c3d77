import { describe, expect, it } from 'vitest'

import { KNOWN_BUNDLES } from '#test/bundles/known-bundles.ts'
import type { KnownBundle } from '#test/bundles/known-bundles.ts'
import { judgeKnown, openKnown } from '#test/bundles/open-known.ts'
import { withForeign } from '#test/bundles/with-foreign.ts'
import type { Stranger } from '#test/bundles/with-foreign.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'

/** Deaths of every kind, each likely to mislead a careless rule. */
const STRANGERS = ['oom-container', 'force-deleted', 'drain-without-trap', 'evicted-own-limit', 'process-crash-segv', 'runtime-fault-shim', 'image-pull', 'oom-step']

async function open({ archive }: KnownBundle): Promise<Stranger | null> {
  const bundle = await openKnown(archive)
  const judged = await judgeKnown(bundle)
  return judged === null ? null : { bundle, judged }
}

describe('the death of another pod on the same node in the same seconds', () => {
  it.each(KNOWN_BUNDLES.map((known, index) => [known.name, known, index] as const))('does not change the verdict on %s', async (_name, known, index) => {
    const own = await open(known)
    if (own === null) throw new Error('nothing was judged')
    const { verdict } = own.judged
    const strangers = STRANGERS.filter((stranger) => stranger !== known.name)
    for (const name of LONG_RUN ? strangers : [strangers[index % strangers.length] ?? '']) {
      const stranger = await openStranger(name)
      const now = await judgeKnown(withForeign(own, stranger))
      expect({ with: name, cause: now?.verdict.cause, actor: now?.verdict.actor, confidence: now?.verdict.confidence }).toEqual({
        with: name,
        cause: verdict.cause,
        actor: verdict.actor,
        confidence: verdict.confidence,
      })
    }
    await own.bundle[Symbol.asyncDispose]()
  })
})

const opened = new Map<string, Promise<Stranger | null>>()

async function openStranger(name: string): Promise<Stranger> {
  const known = KNOWN_BUNDLES.find((bundle) => bundle.name === name)
  if (known === undefined) throw new Error(`there is no ${name}`)
  const stranger = await (opened.get(name) ?? opened.set(name, open(known)).get(name))
  if (stranger === null || stranger === undefined) throw new Error(`${name} was not judged`)
  return stranger
}

import type { Clock } from '#/ports/clock.ts'
import type { SimApp } from './app.ts'
import type { Seeded } from './seeded.ts'
import type { Account } from './world-state.ts'

const CODE_LIFE_MS = 3_600_000

/** What the conversion gives, once. */
export type ConvertedApp = {
  readonly app: SimApp
  readonly privateKeyPem: string
  readonly clientSecret: string
  /** GitHub makes one for each App that has a webhook. */
  readonly webhookSecret: string | null
}

/** What somebody pressed on GitHub's page for a manifest, as far as GitHub reads it. */
export type SubmittedManifest = {
  readonly name: string
  readonly owner: Account
  readonly permissions: SimApp['permissions']
  readonly events: readonly string[]
  readonly webhookUrl: string | null
}

export type Manifests = {
  /** The code with which the browser is sent back. */
  readonly submit: (manifest: SubmittedManifest) => string
  /** Undefined for a code that is unknown, was used, or is an hour old. */
  readonly convert: (code: string) => ConvertedApp | undefined
}

/** The simulated GitHub has one App: a manifest gives its id and key again, under the name and rights of the manifest. */
export function createManifests(options: {
  readonly clock: Clock
  readonly seeded: Seeded
  readonly app: SimApp
  readonly privateKeyPem: string
}): Manifests {
  const { clock, seeded, app, privateKeyPem } = options
  const waiting = new Map<string, { readonly manifest: SubmittedManifest; readonly until: number }>()
  return {
    submit: (manifest) => {
      const code = seeded.hex(40)
      waiting.set(code, { manifest, until: clock.now() + CODE_LIFE_MS })
      return code
    },
    convert: (code) => {
      const found = waiting.get(code)
      waiting.delete(code)
      if (found === undefined || found.until <= clock.now()) return undefined
      const { name, owner, permissions, events, webhookUrl } = found.manifest
      const webhookSecret = webhookUrl === null ? null : seeded.hex(40)
      const webhook = webhookUrl === null || webhookSecret === null ? null : { url: webhookUrl, secret: webhookSecret }
      const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
      return {
        app: { ...app, name, slug, owner, permissions, events, webhook },
        privateKeyPem,
        clientSecret: seeded.hex(40),
        webhookSecret,
      }
    },
  }
}

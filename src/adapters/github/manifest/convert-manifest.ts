import { createPrivateKey } from 'node:crypto'
import { z } from 'zod'
import { readJson } from '#/adapters/github/http/read-json.ts'
import type { HttpMeans } from '#/adapters/http/exchange.ts'
import { exchange } from '#/adapters/http/exchange.ts'
import { Secret } from '#/core/basics/secret.ts'

/** An App as GitHub gives it once, with what it never gives again. */
export type CreatedApp = {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly owner: string | null
  /** Where people see it. */
  readonly page: string
  readonly privateKey: Secret
  /** Null: GitHub made none. */
  readonly webhookSecret: Secret | null
}

export type Conversion =
  | { readonly kind: 'created'; readonly app: CreatedApp }
  /** The code is older than an hour, was used before, or is none of this GitHub. */
  | { readonly kind: 'unknown-code' }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'malformed'; readonly detail: string }
  | { readonly kind: 'blind'; readonly detail: string }

const TIMEOUT_MS = 30_000
const LARGEST_BYTES = 256 * 1024
const LONGEST = 1024

const schema = z.object({
  id: z.int().positive(),
  slug: z.string().regex(/^[a-z0-9][a-z0-9-]{0,99}$/),
  name: z.string().min(1).max(LONGEST),
  owner: z.object({ login: z.string().max(LONGEST) }).nullish(),
  html_url: z.url({ protocol: /^https?$/ }).max(LONGEST),
  pem: z.string().max(16_384).refine(isPrivateKey),
  webhook_secret: z.string().min(1).max(LONGEST).nullish(),
})

/** Exchanges the code for the App. GitHub answers this once for each code. */
export async function convertManifest(
  http: HttpMeans,
  { api, code, userAgent }: { readonly api: string; readonly code: string; readonly userAgent: string },
  signal: AbortSignal,
): Promise<Conversion> {
  const reply = await exchange(
    http,
    {
      method: 'POST',
      url: new URL(`${api}/app-manifests/${encodeURIComponent(code)}/conversions`),
      headers: {
        accept: 'application/vnd.github+json',
        'user-agent': userAgent,
        'x-github-api-version': '2022-11-28',
      },
    },
    { timeoutMs: TIMEOUT_MS, maxBytes: LARGEST_BYTES },
    signal,
  )
  // The code opens the key until it was exchanged, and the reason names the path.
  if (reply.kind === 'blind') return { kind: 'blind', detail: reply.reason.detail.replaceAll(code, '…') }
  if (reply.status === 404) return { kind: 'unknown-code' }
  if (reply.status !== 201) return { kind: 'refused', status: reply.status }
  return readApp(readJson(reply.body.toString('utf8')))
}

/** Names the place that is wrong and never its value. */
function readApp(json: unknown): Conversion {
  const parsed = schema.safeParse(json)
  if (!parsed.success) {
    const place = parsed.error.issues[0]?.path.join('.') ?? ''
    return { kind: 'malformed', detail: place === '' ? 'it is no App' : `${place} is missing or of another form` }
  }
  const { id, slug, name, owner, html_url: page, pem, webhook_secret: secret } = parsed.data
  return {
    kind: 'created',
    app: {
      id,
      slug,
      name,
      owner: owner?.login ?? null,
      page,
      privateKey: new Secret('github-app-key', pem),
      webhookSecret: typeof secret === 'string' ? new Secret('webhook-secret', secret) : null,
    },
  }
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}

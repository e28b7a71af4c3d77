import type { BundleMeta, SourceAnswer } from './bundle-meta.ts'
import { BLIND_CODES, blind } from '#/core/basics/observed.ts'
import type { Blind, BlindCode } from '#/core/basics/observed.ts'

/** The resources that a bundle may hold as a List (`kubernetes/<resource>.json`). */
export const BUNDLE_RESOURCES = [
  'pods',
  'nodes',
  'events',
  'namespaces',
  'secrets',
  'serviceaccounts',
  'resourcequotas',
  'limitranges',
  'persistentvolumeclaims',
  'storageclasses',
  'leases',
  'deployments',
  'daemonsets',
  'services',
  'endpointslices',
  'runtimeclasses',
  'runnerpools',
  'horizontalpodautoscalers',
  'poddisruptionbudgets',
  'machines',
  'customresourcedefinitions',
  'autoscalingrunnersets',
  'autoscalinglisteners',
  'ephemeralrunnersets',
  'ephemeralrunners',
] as const
export type BundleResource = (typeof BUNDLE_RESOURCES)[number]

/** What `meta.json` says about a path or a source: the longer name beats the shorter one. */
export function answerFor(sources: BundleMeta['sources'], path: string): SourceAnswer | null {
  for (let name = sourceName(path); name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('/')))) {
    const answer = sources.get(name)
    if (answer !== undefined) return answer
  }
  return null
}

/** The longest source name that the path may belong to. */
export function sourceName(path: string): string {
  return path.replace(/(?:\.previous)?\.(?:jsonl?|log|txt|toml|yaml)$/, '')
}

export function blindByAnswer(answer: Exclude<SourceAnswer, { kind: 'looked' }>): Blind {
  return answer.kind === 'unreadable'
    ? blind('malformed', answer.why)
    : blind(parseReasonCode(answer.reason), answer.reason)
}

const STATUS_CODES: ReadonlyMap<string, BlindCode> = new Map([
  ['401', 'unauthenticated'],
  ['403', 'forbidden'],
  ['404', 'expired'],
  ['408', 'timeout'],
  ['410', 'expired'],
  ['429', 'rate-limited'],
])

/** As Kubernetes, GitHub and people put it. */
const SENTENCES: readonly (readonly [RegExp, BlindCode])[] = [
  [/\brate limit/i, 'rate-limited'],
  [/^forbidden|\bis forbidden\b|\bcannot (?:get|list|watch) resource\b|\b403\b/i, 'forbidden'],
  [/\bunauthorized\b|\bBad credentials\b|\b401\b/i, 'unauthenticated'],
  [/\btimed out\b|\bdeadline exceeded\b/i, 'timeout'],
]

/** `collect` writes `code: detail`; files written by hand have an HTTP status, "not asked", or free text. */
export function parseReasonCode(reason: string): BlindCode {
  const [first = ''] = reason.split(/[:\s]/, 1)
  const code = BLIND_CODES.find((known) => known === first)
  if (code !== undefined) return code
  if (/^5\d\d$/.test(first)) return 'server-error'
  if (/^not asked/i.test(reason)) return 'not-asked'
  return STATUS_CODES.get(first) ?? SENTENCES.find(([pattern]) => pattern.test(reason))?.[1] ?? 'unsupported'
}

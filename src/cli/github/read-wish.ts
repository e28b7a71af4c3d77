import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { FlagValues } from '#/cli/frame/flag.ts'
import { printable } from '#/cli/output/printable.ts'
import { LONGEST_APP_NAME } from '#/core/github/app-manifest.ts'
import type { AppWish } from '#/core/github/app-manifest.ts'
import { siteAt } from '#/core/github/github-site.ts'
import type { GitHubSite } from '#/core/github/github-site.ts'
import type { setupFlags } from './command.ts'

export type SetupFlags = FlagValues<typeof setupFlags>

/** Where the key goes. */
export type KeyPlace =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'secret'; readonly namespace: string; readonly name: string }

const LOGIN = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98})$/
const DNS_NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/
const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const WEBHOOK_PATH = '/webhooks/github'

export function readAppWish(flags: SetupFlags): AppWish {
  const { organization = null, reruns } = flags
  if (organization !== null && !LOGIN.test(organization)) {
    throw usage(`--organization: ${organization} is not the login of an organisation`, 'as in https://github.com/ORG')
  }
  if (flags.scope !== 'repository' && organization === null) {
    throw usage(`--scope ${flags.scope} requires --organization`, 'name the organisation: --organization ORG')
  }
  const webhookUrl = readWebhookUrl(flags['webhook-url'])
  if (flags.for === 'dispatch' && webhookUrl === null) {
    throw usage(
      '--for dispatch requires --webhook-url',
      'the address at which GitHub reaches signalbox serve, with https',
    )
  }
  return {
    purpose: flags.for,
    scope: flags.scope,
    organization,
    name: readName(flags.name, organization),
    webhookUrl,
    reruns,
    checkRuns: flags['check-runs'],
  }
}

export function readSite(flags: SetupFlags, baseUrl: string): GitHubSite {
  const given = flags['github-url'] ?? baseUrl
  const site = siteAt(given)
  if (site !== null) return site
  throw usage(
    `${flags['github-url'] === undefined ? 'github.baseUrl' : '--github-url'}: ${given} is not the site of a GitHub`,
    'use https://HOST; plain HTTP would send the key in the clear',
  )
}

export function readPlace({ out, secret }: SetupFlags): KeyPlace {
  if (out !== undefined && out !== '') return { kind: 'folder', folder: out }
  const [namespace = '', name = '', ...more] = (secret ?? '').split('/')
  if (secret === undefined) {
    throw usage('where do the key and the secret go?', '--out DIR for files, or --secret NAMESPACE/NAME for a Secret')
  }
  if (more.length > 0 || !DNS_LABEL.test(namespace) || !DNS_NAME.test(name)) {
    throw usage(`--secret: ${secret} is not a namespace and a name`, 'as in signalbox/github-app')
  }
  return { kind: 'secret', namespace, name }
}

function readName(given: string | undefined, organization: string | null): string {
  const name = (given ?? `signalbox-${organization ?? 'runners'}`.slice(0, LONGEST_APP_NAME)).trim()
  if (name !== '' && name.length <= LONGEST_APP_NAME && name === printable(name)) return name
  throw usage('--name cannot be the name of an App', `use 1 to ${LONGEST_APP_NAME} characters`)
}

/** The host alone suffices: the path is ours. */
function readWebhookUrl(given: string | undefined): string | null {
  if (given === undefined) return null
  const url = URL.canParse(given) ? new URL(given) : null
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.hash !== '') {
    throw usage(`--webhook-url: ${given} is not an https address`, `as in https://HOST${WEBHOOK_PATH}`)
  }
  return url.pathname === '/' ? `${url.origin}${WEBHOOK_PATH}` : url.href
}

function usage(message: string, next: string): CommandFailure {
  return new CommandFailure(EXIT.usage, printable(message), [next])
}

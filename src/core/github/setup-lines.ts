import type { AppWish } from './app-manifest.ts'
import type { GitHubSite } from './github-site.ts'

export const KEY_FILE = 'private-key.pem'
export const SECRET_FILE = 'webhook-secret'

type Settings = Readonly<Record<string, unknown>>

export type NewApp = {
  readonly id: number
  readonly wish: Pick<AppWish, 'organization' | 'scope' | 'purpose'>
  readonly site: GitHubSite
  readonly hasWebhookSecret: boolean
}

/** What the App's files are called in `signalbox.yaml`. */
export function configLines(app: NewApp, folder: string): Settings {
  const { id, hasWebhookSecret } = app
  return {
    github: {
      ...shared(app),
      app: { id, privateKeyFile: `${folder}/${KEY_FILE}` },
      ...(hasWebhookSecret ? { webhookSecretFile: `${folder}/${SECRET_FILE}` } : {}),
    },
  }
}

/** What the chart's values are. */
export function chartValues(app: NewApp, secret: string): Settings {
  const { id, wish, hasWebhookSecret } = app
  const webhook = hasWebhookSecret ? { webhook: { existingSecret: secret, key: SECRET_FILE } } : {}
  return {
    github: { ...shared(app), app: { id, existingSecret: secret, privateKeyKey: KEY_FILE } },
    ...(wish.purpose === 'dispatch' ? { dispatch: { enabled: true, ...webhook } } : {}),
  }
}

/** An owner stands for its organisation, whose runners the App of a repository may not list. */
function shared({ wish, site }: NewApp): Settings {
  const isPublic = site.api === 'https://api.github.com'
  const owners = wish.organization === null || wish.scope === 'repository' ? {} : { owners: [wish.organization] }
  return { ...(isPublic ? {} : { baseUrl: site.api }), ...owners }
}

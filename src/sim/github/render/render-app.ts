import { isoTime, isoTimeOrNull } from './answers.ts'
import type { Installation, SimApp } from '#/sim/github/world/app.ts'
import { renderAccount } from './render-account.ts'
import type { ConvertedApp } from '#/sim/github/world/manifests.ts'
import type { Schema } from './schemas.ts'
import type { Urls } from './urls.ts'
import { nodeId } from './node-id.ts'

export function renderApp(app: SimApp, installations: number, urls: Urls) {
  return {
    ...renderAppCore(app, urls),
    installations_count: installations,
  } satisfies Schema<'integration'>
}

/** Only here GitHub shows the key and the secrets of an App. */
export function renderConverted({ app, privateKeyPem, clientSecret, webhookSecret }: ConvertedApp, urls: Urls) {
  return {
    ...renderAppCore(app, urls),
    client_id: app.clientId,
    client_secret: clientSecret,
    webhook_secret: webhookSecret,
    pem: privateKeyPem,
  }
}

/** The app as it is named inside other things. */
export function renderAppCore(app: SimApp, urls: Urls) {
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId('App', app.id),
    client_id: app.clientId,
    owner: renderAccount(app.owner, urls),
    name: app.name,
    description: null,
    external_url: `${urls.web}/apps/${app.slug}`,
    html_url: `${urls.web}/apps/${app.slug}`,
    created_at: isoTime(app.createdAt),
    updated_at: isoTime(app.createdAt),
    permissions: app.permissions,
    events: [...app.events],
  } satisfies Schema<'integration'>
}

export function renderInstallation(installation: Installation, app: SimApp, urls: Urls) {
  const { account } = installation
  return {
    id: installation.id,
    account: renderAccount(account, urls),
    repository_selection: installation.repositories === null ? ('all' as const) : ('selected' as const),
    access_tokens_url: `${urls.api}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${urls.api}/installation/repositories`,
    html_url: `${urls.web}/organizations/${account.login}/settings/installations/${installation.id}`,
    app_id: app.id,
    client_id: app.clientId,
    app_slug: app.slug,
    target_id: account.id,
    target_type: account.type,
    permissions: installation.permissions,
    events: [...app.events],
    created_at: isoTime(installation.createdAt),
    updated_at: isoTime(installation.createdAt),
    single_file_name: null,
    suspended_by: installation.suspendedAt === null ? null : renderAccount(app.owner, urls),
    suspended_at: isoTimeOrNull(installation.suspendedAt),
  } satisfies Schema<'installation'>
}

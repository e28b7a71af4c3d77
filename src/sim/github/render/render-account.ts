import type { Schema } from './schemas.ts'
import type { Urls } from './urls.ts'
import { nodeId } from './node-id.ts'
import type { Account } from '#/sim/github/world/world-state.ts'

export function renderAccount(account: Account, urls: Urls) {
  const user = `${urls.api}/users/${account.login}`
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId(account.type, account.id),
    avatar_url: `${urls.web}/avatars/${account.id}`,
    gravatar_id: '',
    url: user,
    html_url: `${urls.web}/${account.login}`,
    followers_url: `${user}/followers`,
    following_url: `${user}/following{/other_user}`,
    gists_url: `${user}/gists{/gist_id}`,
    starred_url: `${user}/starred{/owner}{/repo}`,
    subscriptions_url: `${user}/subscriptions`,
    organizations_url: `${user}/orgs`,
    repos_url: `${user}/repos`,
    events_url: `${user}/events{/privacy}`,
    received_events_url: `${user}/received_events`,
    type: account.type,
    site_admin: false,
  } satisfies Schema<'simple-user'>
}

/** As webhooks name the organisation. */
export function renderOrganization(account: Account, urls: Urls) {
  const organization = `${urls.api}/orgs/${account.login}`
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId(account.type, account.id),
    url: organization,
    repos_url: `${organization}/repos`,
    events_url: `${organization}/events`,
    hooks_url: `${organization}/hooks`,
    issues_url: `${organization}/issues`,
    members_url: `${organization}/members{/member}`,
    public_members_url: `${organization}/public_members{/member}`,
    avatar_url: `${urls.web}/avatars/${account.id}`,
    description: null,
  }
}

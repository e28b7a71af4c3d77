/** A GitHub: where people look, and where programs ask. No slash at the end. */
export type GitHubSite = { readonly web: string; readonly api: string }

const PUBLIC: GitHubSite = { web: 'https://github.com', api: 'https://api.github.com' }
/** GitHub Enterprise Cloud with data residency has its API beside the site; an Enterprise Server has it below. */
const RESIDENT = /^([a-z0-9-]+)\.ghe\.com$/

/** From the address of the site; null where it is none, or would send a key in the clear. */
export function siteAt(address: string): GitHubSite | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return null
  const path = url.pathname.replace(/\/+$/, '')
  if (path !== '' && path !== '/api/v3') return null
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) return null
  if (url.origin === PUBLIC.web || url.origin === PUBLIC.api) return PUBLIC
  const { host } = url
  if (RESIDENT.test(host)) return { web: url.origin, api: `https://api.${host}` }
  if (RESIDENT.test(host.replace(/^api\./, ''))) return { web: `https://${host.replace(/^api\./, '')}`, api: url.origin }
  return { web: url.origin, api: `${url.origin}/api/v3` }
}

/** Where the form of a manifest is posted. */
export function newAppUrl({ web }: GitHubSite, organization: string | null, state: string): string {
  const owner = organization === null ? '' : `/organizations/${encodeURIComponent(organization)}`
  return `${web}${owner}/settings/apps/new?state=${encodeURIComponent(state)}`
}

/** Where an App is installed. */
export function installUrl(pageOfApp: string): string {
  return `${pageOfApp}/installations/new`
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '127.0.0.1' || host === '[::1]'
}

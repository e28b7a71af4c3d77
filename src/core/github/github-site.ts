/** A GitHub: where people look, and where programs ask. No slash at the end. */
export type GitHubSite = { readonly web: string; readonly api: string }

const PUBLIC: GitHubSite = { web: 'https://github.com', api: 'https://api.github.com' }
/** GitHub Enterprise Cloud with data residency has its API beside the site; an Enterprise Server has it below. */
const RESIDENT = /^([a-z0-9-]+)\.ghe\.com$/

/** From the address of the site; null where it is none, or would send a key in the clear. */
export function siteAt(address: string): GitHubSite | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !isBare(url) || !isPrivate(url)) return null
  const { origin, host } = url
  if (origin === PUBLIC.web || origin === PUBLIC.api) return PUBLIC
  const resident = host.replace(/^api\.(?=[^.]+\.ghe\.com$)/, '')
  if (RESIDENT.test(resident)) return { web: `https://${resident}`, api: `https://api.${resident}` }
  return { web: origin, api: `${origin}/api/v3` }
}

/** Nothing but a host, or the API below it. */
function isBare({ username, password, search, hash, pathname }: URL): boolean {
  return `${username}${password}${search}${hash}` === '' && /^\/?(?:api\/v3\/?)?$/.test(pathname)
}

function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
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

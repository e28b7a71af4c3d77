type Level = 'read' | 'write'

export const PURPOSES = ['observe', 'dispatch'] as const
export const APP_SCOPES = ['repository', 'organization', 'both'] as const

/** What somebody wants a GitHub App for. */
export type AppWish = {
  readonly purpose: (typeof PURPOSES)[number]
  /** Where runners are registered. */
  readonly scope: (typeof APP_SCOPES)[number]
  /** The organisation that owns the App; null for the account of whoever creates it. */
  readonly organization: string | null
  readonly name: string
  /** Null: GitHub sends none. */
  readonly webhookUrl: string | null
  /** To rerun jobs. */
  readonly reruns: boolean
  /** To write verdicts as check runs. */
  readonly checkRuns: boolean
}

/** The longest name of an App. */
export const LONGEST_APP_NAME = 34

const DESCRIPTION =
  'Signalbox: runs, records and audits self-hosted runners. Its key is held by whoever created the App.'

/** What GitHub makes an App from. It draws the webhook secret itself, and refuses a manifest that brings one. */
export type AppManifest = {
  readonly name: string
  readonly url: string
  readonly description: string
  readonly public: false
  readonly redirect_url: string
  /** GitHub refuses it without a URL, also an inactive one. */
  readonly hook_attributes?: { readonly url: string; readonly active: true }
  readonly default_permissions: Readonly<Record<string, Level>>
  readonly default_events: readonly string[]
}

export function buildManifest(
  wish: AppWish,
  { homepage, redirectUrl }: { readonly homepage: string; readonly redirectUrl: string },
): AppManifest {
  const { name, webhookUrl } = wish
  return {
    name,
    url: homepage,
    description: DESCRIPTION,
    public: false,
    redirect_url: redirectUrl,
    ...(webhookUrl === null ? {} : { hook_attributes: { url: webhookUrl, active: true } }),
    default_permissions: neededPermissions(wish),
    default_events: webhookUrl === null ? [] : ['workflow_job'],
  }
}

/** The least that does what was asked. */
export function neededPermissions({
  purpose,
  scope,
  reruns,
  checkRuns,
}: Pick<AppWish, 'purpose' | 'scope' | 'reruns' | 'checkRuns'>): Readonly<Record<string, Level>> {
  const runners: Level = purpose === 'dispatch' ? 'write' : 'read'
  return {
    metadata: 'read',
    actions: reruns ? 'write' : 'read',
    checks: checkRuns ? 'write' : 'read',
    ...(scope === 'organization' ? {} : { administration: runners }),
    ...(scope === 'repository' ? {} : { organization_self_hosted_runners: runners }),
  }
}

/** What a user types to name a subject, before anything is looked up. */
export type SubjectArgument =
  /** A pod or a runner: they often have the same name. */
  | { readonly kind: 'pod'; readonly namespace: string | null; readonly name: string }
  /** Without a URL the repository is not known. */
  | { readonly kind: 'job'; readonly site: string | null; readonly repository: string | null; readonly id: number }
  | {
      readonly kind: 'run'
      readonly site: string | null
      readonly repository: string
      readonly id: number
      /** Null for the latest. */
      readonly attempt: number | null
    }

export type SubjectReading = SubjectArgument | { readonly kind: 'unreadable'; readonly why: string }

/** For messages. */
export const SUBJECT_FORM = 'a pod, namespace/pod, a runner, a job id, or the URL of a job or run'

export function parseSubjectArgument(text: string): SubjectReading {
  if (/^https?:\/\//i.test(text)) return parseAddress(text)
  if (/^\d+$/.test(text)) {
    const id = parseId(text)
    return id === null ? unreadable(`${text} is not a job id`) : { kind: 'job', site: null, repository: null, id }
  }
  const parts = text.split('/')
  const [first = '', second] = parts
  if (parts.length > 2 || parts.includes('')) {
    const address = parseAddress(`https://${text}`)
    return address.kind === 'unreadable' ? unreadable(`it is not ${SUBJECT_FORM}`) : address
  }
  if (second === undefined) return { kind: 'pod', namespace: null, name: first }
  // kubectl prints objects as kind/name, and users paste that.
  const isKind = first === 'pod' || first === 'pods'
  return { kind: 'pod', namespace: isKind ? null : first, name: second }
}

const REPOSITORY = '(?:/api/v3)?(?:/repos)?/(?<owner>[^/]+)/(?<name>[^/]+)'
/** The page of a job, the page by its check run id, and its URL in the API. */
const JOB = new RegExp(
  `^${REPOSITORY}(?:/actions/runs/\\d+(?:/attempts/\\d+)?/jobs?|/runs|/actions/jobs)/(?<id>\\d+)/?$`,
)
const RUN = new RegExp(`^${REPOSITORY}/actions/runs/(?<id>\\d+)(?:/attempts/(?<attempt>\\d+))?(?:/jobs|/workflow)?/?$`)

function parseAddress(text: string): SubjectReading {
  const url = URL.parse(text)
  if (url === null) return unreadable('the URL cannot be parsed')
  const job = JOB.exec(url.pathname)?.groups
  if (job !== undefined) {
    const id = parseId(job['id'])
    return id === null ? tooLarge() : { kind: 'job', site: url.host, repository: toRepository(job), id }
  }
  const run = RUN.exec(url.pathname)?.groups
  if (run === undefined) return unreadable('the URL is not that of a job or run')
  const id = parseId(run['id'])
  const attempt = run['attempt'] === undefined ? null : parseId(run['attempt'])
  // Never fall back to the latest attempt if the given one is impossible.
  if (id === null || (attempt === null && run['attempt'] !== undefined)) return tooLarge()
  return { kind: 'run', site: url.host, repository: toRepository(run), id, attempt }
}

function toRepository({ owner = '', name = '' }: Readonly<Record<string, string>>): string {
  return `${owner}/${name}`
}

function parseId(digits: string | undefined): number | null {
  const id = Number(digits)
  return Number.isSafeInteger(id) && id > 0 ? id : null
}

function tooLarge(): SubjectReading {
  return unreadable('the id in the URL is not one that GitHub assigns')
}

function unreadable(why: string): SubjectReading {
  return { kind: 'unreadable', why }
}

/** Whether a URL with that host belongs to the GitHub whose API is at `baseUrl`. */
export function isSameSite(site: string, baseUrl: string): boolean {
  const api = URL.parse(baseUrl)?.host ?? ''
  return site === api || api === `api.${site}`
}

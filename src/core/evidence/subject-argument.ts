/** What a person pastes to say whom he means, before anything has been looked up. */
export type SubjectArgument =
  /** A pod, or a runner: the one is often called like the other. */
  | { readonly kind: 'pod'; readonly namespace: string | null; readonly name: string }
  /** Without an address the repository is not known. */
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
export const SUBJECT_FORM = 'a pod, namespace/pod, a runner, the number of a job, or the address of a job or of a run'

export function parseSubjectArgument(text: string): SubjectReading {
  if (/^https?:\/\//i.test(text)) return parseAddress(text)
  if (/^\d+$/.test(text)) {
    const id = idOf(text)
    return id === null ? unreadable(`${text} is no number of a job`) : { kind: 'job', site: null, repository: null, id }
  }
  const parts = text.split('/')
  const [first = '', second] = parts
  if (parts.length > 2 || parts.includes('')) {
    const address = parseAddress(`https://${text}`)
    return address.kind === 'unreadable' ? unreadable(`it is neither ${SUBJECT_FORM}`) : address
  }
  if (second === undefined) return { kind: 'pod', namespace: null, name: first }
  // kubectl names objects so, and people paste what it prints.
  const isKind = first === 'pod' || first === 'pods'
  return { kind: 'pod', namespace: isKind ? null : first, name: second }
}

const REPOSITORY = '(?:/api/v3)?(?:/repos)?/(?<owner>[^/]+)/(?<name>[^/]+)'
/** The page of a job, the same by the number of its check run, and its place in the API. */
const JOB = new RegExp(
  `^${REPOSITORY}(?:/actions/runs/\\d+(?:/attempts/\\d+)?/jobs?|/runs|/actions/jobs)/(?<id>\\d+)/?$`,
)
const RUN = new RegExp(`^${REPOSITORY}/actions/runs/(?<id>\\d+)(?:/attempts/(?<attempt>\\d+))?(?:/jobs|/workflow)?/?$`)

function parseAddress(text: string): SubjectReading {
  const url = URL.parse(text)
  if (url === null) return unreadable('the address cannot be read')
  const job = JOB.exec(url.pathname)?.groups
  if (job !== undefined) {
    const id = idOf(job['id'])
    return id === null ? tooLarge() : { kind: 'job', site: url.host, repository: repositoryOf(job), id }
  }
  const run = RUN.exec(url.pathname)?.groups
  if (run === undefined) return unreadable('the address is neither that of a job nor that of a run')
  const id = idOf(run['id'])
  const attempt = run['attempt'] === undefined ? null : idOf(run['attempt'])
  // The latest must not stand in for an attempt that there cannot be.
  if (id === null || (attempt === null && run['attempt'] !== undefined)) return tooLarge()
  return { kind: 'run', site: url.host, repository: repositoryOf(run), id, attempt }
}

function repositoryOf({ owner = '', name = '' }: Readonly<Record<string, string>>): string {
  return `${owner}/${name}`
}

function idOf(digits: string | undefined): number | null {
  const id = Number(digits)
  return Number.isSafeInteger(id) && id > 0 ? id : null
}

function tooLarge(): SubjectReading {
  return unreadable('the number in the address is none that GitHub gives')
}

function unreadable(why: string): SubjectReading {
  return { kind: 'unreadable', why }
}

/** Whether an address of that host belongs to the GitHub whose API is at `baseUrl`. */
export function isSiteOf(site: string, baseUrl: string): boolean {
  const api = URL.parse(baseUrl)?.host ?? ''
  return site === api || api === `api.${site}`
}

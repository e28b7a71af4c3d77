const DEFAULT_PER_PAGE = 30
const MAX_PER_PAGE = 100

export type Page<T> = { readonly rows: readonly T[]; readonly link: string | null }

export function perPage(query: URLSearchParams): number {
  const asked = Number.parseInt(query.get('per_page') ?? '', 10)
  return Number.isNaN(asked) || asked < 1 ? DEFAULT_PER_PAGE : Math.min(asked, MAX_PER_PAGE)
}

/** Numbered pages over whatever the list is now: rows that go between two calls shift the pages, as at GitHub. */
export function numberedPage<T>(rows: readonly T[], url: URL): Page<T> {
  const size = perPage(url.searchParams)
  const asked = Number.parseInt(url.searchParams.get('page') ?? '', 10)
  const page = Number.isNaN(asked) || asked < 1 ? 1 : asked
  const last = Math.max(1, Math.ceil(rows.length / size))
  const relations: readonly (readonly [string, number, boolean])[] = [
    ['prev', Math.min(page - 1, last), page > 1],
    ['next', page + 1, page < last],
    ['last', last, page < last],
    ['first', 1, page > 1],
  ]
  const links = relations
    .filter(([, , present]) => present)
    .map(([relation, target]) => linkTo(url, relation, { page: String(target) }))
  return {
    rows: rows.slice((page - 1) * size, page * size),
    link: links.length === 0 ? null : links.join(', '),
  }
}

export function linkTo(url: URL, relation: string, query: Readonly<Record<string, string>>): string {
  const target = new URL(url)
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value)
  return `<${target.href}>; rel="${relation}"`
}

export function linkHeader(link: string | null): Readonly<Record<string, string>> {
  return link === null ? {} : { link }
}

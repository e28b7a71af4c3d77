/** One unchecked value and its origin. */
export type Entry = { readonly path: string; readonly value: unknown; readonly origin: Origin }

export type Origin =
  | { readonly kind: 'flag'; readonly flag: string }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'file'; readonly file: string; readonly line: number }
  | { readonly kind: 'default' }

/** What is wrong, where, and suggestions. */
export type Problem = { readonly where: string; readonly message: string; readonly meant: readonly string[] }

export type Gathered = { readonly entries: readonly Entry[]; readonly problems: readonly Problem[] }

export function describeOrigin(origin: Origin): string {
  switch (origin.kind) {
    case 'flag':
      return origin.flag
    case 'environment':
      return origin.variable
    case 'file':
      return `${origin.file}:${origin.line}`
    case 'default':
      return 'default'
  }
}

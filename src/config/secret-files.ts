import type { Entry, Origin, Problem } from '#/config/entry.ts'
import { describeOrigin } from '#/config/entry.ts'
import { readSmallFile } from '#/adapters/files/read-small-file.ts'
import { settings } from '#/config/setting.ts'

const LARGEST_BYTES = 65_536

/** `github.token` from `github.tokenFile`, and so on: each secret can be read from a file. */
export const secretFiles = settings
  .filter(({ about, path }) => about.secret !== undefined && settings.some((other) => other.path === `${path}File`))
  .map(({ path }) => ({ secret: path, file: `${path}File` }))

type Rank = Readonly<Record<Origin['kind'], number>>
const RANK: Rank = { default: 0, file: 1, environment: 2, flag: 3 }

/** If both are given, the stronger source wins; from the same source it is a mistake. */
export function chooseSecrets(entries: ReadonlyMap<string, Entry>): {
  readonly entries: ReadonlyMap<string, Entry>
  readonly problems: readonly Problem[]
} {
  const chosen = new Map(entries)
  const problems: Problem[] = []
  for (const { secret, file } of secretFiles) {
    const value = chosen.get(secret)
    const named = chosen.get(file)
    if (value === undefined || named === undefined) continue
    const difference = RANK[value.origin.kind] - RANK[named.origin.kind]
    if (difference === 0) {
      problems.push({
        where: describeOrigin(named.origin),
        message: `${secret} cannot be combined with ${file}: set one of them`,
        meant: [],
      })
    }
    chosen.delete(difference > 0 ? file : secret)
  }
  return { entries: chosen, problems }
}

/** Sets each secret to the content of its file, without the last line break. */
export async function readSecrets(entries: ReadonlyMap<string, Entry>): Promise<{
  readonly entries: ReadonlyMap<string, Entry>
  readonly problems: readonly Problem[]
}> {
  const filled = new Map(entries)
  const problems: Problem[] = []
  for (const { secret, file } of secretFiles) {
    const named = entries.get(file)
    if (typeof named?.value !== 'string') continue
    const read = await readSmallFile(named.value, LARGEST_BYTES)
    if (read.kind === 'read') {
      filled.set(secret, { path: secret, value: read.text.replace(/\r?\n$/, ''), origin: named.origin })
      continue
    }
    const why = read.kind === 'absent' ? 'cannot be read (ENOENT)' : read.why
    problems.push({ where: describeOrigin(named.origin), message: `${file}: ${named.value} ${why}`, meant: [] })
  }
  return { entries: filled, problems }
}

/** What a person can do about a failure, by what PostgreSQL's programs wrote. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /No space left on device|Disk quota exceeded/u,
    'Free space on that disk, or give a folder on another one with --data.',
  ],
  [/could not look up effective user ID/u, 'Start signalbox as a user that /etc/passwd knows, or set DATABASE_URL.'],
  [/Read-only file system/u, 'Give a folder that can be written with --data, or set DATABASE_URL.'],
  [/Permission denied|Operation not permitted/u, 'Give a folder that belongs to you with --data, or set DATABASE_URL.'],
  [
    /password authentication failed/u,
    'Put back the file "password" of the data folder, or move the folder away to begin anew.',
  ],
  [
    /could not locate a valid checkpoint record|invalid checkpoint|could not find (?:WAL|redo)|PANIC/u,
    'The data is damaged: restore the folder from a backup, or move it away to begin anew.',
  ],
  [
    /pre-existing shared memory block/u,
    'Another PostgreSQL still works on this folder: end its processes, then start again.',
  ],
  [
    /could not create shared memory segment|Cannot allocate memory/u,
    'Give the machine more memory, or set DATABASE_URL.',
  ],
]

export function adviceFor(output: string): string {
  const found = ADVICE.find(([pattern]) => pattern.test(output))
  return found?.[1] ?? 'Set DATABASE_URL to use a PostgreSQL server of your own instead.'
}

/** The error lines of a PostgreSQL program's output; all of it if none is recognised. */
export function errorLines(output: string): string {
  const lines = output.split('\n').filter((line) => /FATAL|PANIC|error:/u.test(line))
  return lines.length === 0 ? output : lines.join('\n')
}

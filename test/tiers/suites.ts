import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Where a suite runs. A suite on a real cluster is named `*.cluster.test.ts`; the rest is decided by what it imports. */
export type Suites = {
  /** Use nothing outside their thread, so they share threads and loaded modules. */
  readonly units: readonly string[]
  /** Start servers or processes, connect, mock or wait: each has its own process. */
  readonly processes: readonly string[]
  /** Those of both that a fast run samples. */
  readonly long: readonly string[]
}

type Found = { readonly reaches: readonly string[]; readonly imports: readonly string[] }

const SWITCH = 'test/tiers/long-run.ts'

/** Modules that reach outside. Files may be read and written: each suite uses its own folders. */
const OUTSIDE_MODULES =
  /^(?:node:(?:child_process|net|http|https|http2|tls|dgram|dns|cluster|worker_threads|timers|repl|inspector)(?:\/|$)|pg$|undici$|@hono\/|@kubernetes\/)/

/** What waits, reads the wall clock, or changes or measures what all threads of a process share. */
const OUTSIDE_WORDS =
  /\bvi\.\w+|(?<![.\w])(?:setTimeout|setInterval|fetch)\(|\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bprocess\.(?:env|cpuUsage|memoryUsage|resourceUsage|on|once|kill|exit|chdir|umask|stdin|stdout|stderr|cwd|argv|execPath|pid)\b|\b(?:globalThis|process)\.\w+ = /g

const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm

export function sortSuites(root: string): Suites {
  const graph = new Graph(root)
  const all = globSync('{src,test}/**/*.test.ts', { cwd: root }).filter((path) => !path.endsWith('.cluster.test.ts'))
  const suites = all.toSorted()
  return {
    units: suites.filter((path) => graph.reaches(path).length === 0),
    processes: suites.filter((path) => graph.reaches(path).length > 0),
    long: suites.filter((path) => graph.behind(path).has(SWITCH)),
  }
}

/** What the files under `root` import, each read once. */
export class Graph {
  readonly #root: string
  readonly #found = new Map<string, Found>()

  constructor(root: string) {
    this.#root = root
  }

  /** What is outside, with the file that uses it. */
  reaches(suite: string): readonly string[] {
    return [...this.behind(suite)].flatMap((path) =>
      path === SWITCH ? [] : this.#read(path).reaches.map((what) => `${path}: ${what}`),
    )
  }

  /** A suite and every file that it loads. */
  behind(suite: string): ReadonlySet<string> {
    const seen = new Set([suite])
    for (const path of seen) for (const next of this.#read(path).imports) seen.add(next)
    return seen
  }

  #read(path: string): Found {
    const known = this.#found.get(path)
    if (known !== undefined) return known
    const found = examine(path, readFileSync(join(this.#root, path), 'utf8'), (other) =>
      existsSync(join(this.#root, other)),
    )
    this.#found.set(path, found)
    return found
  }
}

/** One file: what it uses outside, and which files of ours it loads. */
export function examine(path: string, text: string, exists: (path: string) => boolean): Found {
  const code = text.replaceAll(COMMENT, '')
  const specifiers = [...code.matchAll(IMPORT)].map(([, plain, dynamic]) => plain ?? dynamic ?? '')
  const ours = specifiers.map((specifier) => ownFile(path, specifier)).filter((file) => file !== null)
  return {
    reaches: [
      ...specifiers.filter((specifier) => OUTSIDE_MODULES.test(specifier)),
      ...(path.endsWith('.ts') ? [...code.matchAll(OUTSIDE_WORDS)].map(([word]) => word) : []),
    ],
    imports: ours.filter((file) => file.endsWith('.ts') && exists(file)),
  }
}

const FOLDERS = { '#/': 'src/', '#test/': 'test/', '#deploy/': 'deploy/' }

function ownFile(from: string, specifier: string): string | null {
  if (specifier.startsWith('./')) return join(dirname(from), specifier)
  const folder = Object.entries(FOLDERS).find(([prefix]) => specifier.startsWith(prefix))
  return folder === undefined ? null : folder[1] + specifier.slice(folder[0].length)
}

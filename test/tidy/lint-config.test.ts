import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '..', '..')

/** The rule that each file must break. The lint runs once over all of them, with the project's configuration. */
const BROKEN: readonly (readonly [file: string, text: string, rule: string])[] = [
  ['src/core/a.ts', "import { x } from '#/adapters/kubernetes/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/core/b.ts', "import { readFile } from 'node:fs/promises'\nexport const b = readFile", 'no-restricted-imports'],
  ['src/core/c.ts', "import { Pool } from 'pg'\nexport const c = Pool", 'no-restricted-imports'],
  ['src/core/d.ts', "import { x } from '../adapters/x.ts'\nexport const d = x", 'no-restricted-imports'],
  ['src/core/e.ts', 'export const e = () => Date.now()', 'no-restricted-properties'],
  ['src/core/f.ts', 'export const f = () => Math.random()', 'no-restricted-properties'],
  ['src/core/g.ts', 'export const g = () => process.argv', 'no-restricted-globals'],
  ['src/core/h.ts', "import { x } from '#/config/load.ts'\nexport const h = x", 'no-restricted-imports'],
  ['src/core/i.ts', "import { x } from '#/protocol/x.ts'\nexport const i = x", 'no-restricted-imports'],
  ['src/core/j.ts', "import { x } from '#/app/x.ts'\nexport const j = x", 'no-restricted-imports'],
  ['src/signatures/a.ts', "import { x } from '#/ports/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/causes/a.ts', "import { x } from '#/runtime/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/audits/a.ts', "import { x } from '#/adapters/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/ports/a.ts', "import { x } from '#/adapters/deep/er/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/reconcilers/a.ts', "import { x } from '#/runtime/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/runtime/a.ts', "import { x } from '#/adapters/postgres/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/runtime/b.ts', "import { Pool } from 'pg'\nexport const b = Pool", 'no-restricted-imports'],
  ['src/adapters/github/a.ts', "import { x } from '#/runtime/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/adapters/github/b.ts', "import { x } from '#/cli/x.ts'\nexport const b = x", 'no-restricted-imports'],
  ['src/sim/github/a.ts', "import { x } from '#/adapters/github/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/server/a.ts', "import { x } from '#/adapters/postgres/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/gates/a.ts', "import { x } from '#/ports/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/gates/b.ts', "import { x } from '#/protocol/x.ts'\nexport const b = x", 'no-restricted-imports'],
  ['src/ports/b.ts', "import { x } from '#/protocol/x.ts'\nexport const b = x", 'no-restricted-imports'],
  ['src/reconcilers/b.ts', "import { x } from '#/protocol/x.ts'\nexport const b = x", 'no-restricted-imports'],
  ['src/protocol/a.ts', "import { x } from '#/server/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/protocol/b.ts', "import { x } from '#/agent/x.ts'\nexport const b = x", 'no-restricted-imports'],
  ['src/protocol/c.ts', "import { x } from '#/runtime/x.ts'\nexport const c = x", 'no-restricted-imports'],
  ['src/protocol/d.ts', "import { x } from '#/app/x.ts'\nexport const d = x", 'no-restricted-imports'],
  ['src/protocol/e.ts', "import { x } from 'node:fs'\nexport const e = x", 'no-restricted-imports'],
  ['src/protocol/f.ts', "import { x } from 'hono'\nexport const f = x", 'no-restricted-imports'],
  ['src/runtime/c.ts', "import { x } from '#/app/x.ts'\nexport const c = x", 'no-restricted-imports'],
  ['src/runtime/d.ts', "import { x } from '#/config/x.ts'\nexport const d = x", 'no-restricted-imports'],
  ['src/adapters/github/c.ts', "import { x } from '#/config/x.ts'\nexport const c = x", 'no-restricted-imports'],
  ['src/adapters/github/d.ts', "import { x } from '#/app/x.ts'\nexport const d = x", 'no-restricted-imports'],
  ['src/adapters/github/e.ts', "import { x } from '#/protocol/x.ts'\nexport const e = x", 'no-restricted-imports'],
  ['src/config/a.ts', "import { x } from '#/runtime/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/config/b.ts', "import { x } from '#/adapters/postgres/x.ts'\nexport const b = x", 'no-restricted-imports'],
  ['src/config/c.ts', "import { x } from '#/adapters/fleet-file/x.ts'\nexport const c = x", 'no-restricted-imports'],
  ['src/config/d.ts', "import { x } from '#/cli/x.ts'\nexport const d = x", 'no-restricted-imports'],
  ['src/config/e.ts', "import { x } from '#/app/x.ts'\nexport const e = x", 'no-restricted-imports'],
  ['src/sim/github/b.ts', "import { x } from '#/server/x.ts'\nexport const b = x", 'no-restricted-imports'],
  ['src/sim/github/c.ts', "import { x } from '#/app/x.ts'\nexport const c = x", 'no-restricted-imports'],
  ['src/sim/github/d.ts', "import { x } from '#/cli/x.ts'\nexport const d = x", 'no-restricted-imports'],
  ['src/server/b.ts', "import { x } from '#/agent/x.ts'\nexport const b = x", 'no-restricted-imports'],
  ['src/server/c.ts', "import { x } from '#/app/x.ts'\nexport const c = x", 'no-restricted-imports'],
  ['src/server/d.ts', "import { x } from '#/config/x.ts'\nexport const d = x", 'no-restricted-imports'],
  ['src/agent/a.ts', "import { x } from '#/server/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/agent/b.ts', "import { x } from '#/cli/x.ts'\nexport const b = x", 'no-restricted-imports'],
  ['src/agent/c.ts', "import { x } from '#/app/x.ts'\nexport const c = x", 'no-restricted-imports'],
  ['src/agent/d.ts', "import { x } from '#/config/x.ts'\nexport const d = x", 'no-restricted-imports'],
  ['src/agent/e.ts', "import { x } from '#/audits/x.ts'\nexport const e = x", 'no-restricted-imports'],
  ['src/app/a.ts', "import { x } from '#/cli/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/app/b.ts', "import { x } from '#/agent/x.ts'\nexport const b = x", 'no-restricted-imports'],
  ['src/app/c.ts', "import { x } from '#/main.ts'\nexport const c = x", 'no-restricted-imports'],
  ['src/cli/g.ts', "import { x } from '#/sim/x.ts'\nexport const g = x", 'no-restricted-imports'],
  ['src/cli/h.ts', "import { x } from '#/main.ts'\nexport const h = x", 'no-restricted-imports'],
  ...['runtime', 'server', 'agent', 'sim', 'reconcilers', 'protocol', 'config'].flatMap((layer) => [
    [
      `src/${layer}/acts.ts`,
      "import { x } from '#/ports/kubernetes-acts.ts'\nexport const a = x",
      'no-restricted-imports',
    ] as const,
    [
      `src/${layer}/acts-too.ts`,
      "import { x } from '#/ports/github-acts.ts'\nexport const a = x",
      'no-restricted-imports',
    ] as const,
  ]),
  ['src/runtime/act/a.ts', "import { x } from '#/adapters/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/protocol/g.ts', 'export const g = () => Date.now()', 'no-restricted-properties'],
  ['src/cli/a.ts', "import { x } from '../core/x.ts'\nexport const a = x", 'no-restricted-imports'],
  ['src/cli/b.ts', "export const b = () => console.log('x')", 'no-console'],
  [
    'src/cli/c.ts',
    "import { rm } from 'node:fs/promises'\nexport function c() {\n  rm('x')\n}",
    'no-floating-promises',
  ],
  [
    'src/cli/d.ts',
    "export function d(k: 'a' | 'b') {\n  switch (k) {\n    case 'a':\n      return 1\n  }\n  return 2\n}",
    'switch-exhaustiveness-check',
  ],
  ['src/cli/e.ts', 'export const e: any = 1', 'no-explicit-any'],
  ['src/cli/f.ts', 'export default 1', 'no-default-export'],
]

/** A file that uses one of each folder. */
function reExports(...folders: readonly string[]): string {
  const imports = folders.map((folder, index) => `import { x as x${index} } from '#/${folder}/x.ts'`)
  return [...imports, `export const ok = [${folders.map((_, index) => `x${index}`).join(', ')}]`].join('\n')
}

const SOUND: readonly (readonly [file: string, text: string])[] = [
  ['src/core/ok.ts', "import { a } from '#/core/other.ts'\nimport { b } from './other.ts'\nexport const ok = [a, b]"],
  ['src/core/other.ts', 'export const a = 1\nexport const b = 2'],
  ['src/gates/ok.ts', reExports('core')],
  ['src/ports/ok.ts', reExports('core')],
  ['src/protocol/ok.ts', reExports('core', 'ports')],
  ['src/reconcilers/ok.ts', reExports('core', 'ports', 'gates')],
  ['src/runtime/ok.ts', reExports('core', 'ports', 'protocol', 'causes', 'audits', 'reconcilers')],
  ...['runtime/act', 'adapters', 'app', 'cli'].map(
    (layer) =>
      [`src/${layer}/acts-ok.ts`, "import { x } from '#/ports/kubernetes-acts.ts'\nexport const ok = [x]"] as const,
  ),
  ['src/adapters/ok.ts', reExports('core', 'ports')],
  ['src/config/ok.ts', reExports('core', 'ports', 'adapters/files', 'adapters/documents')],
  ['src/sim/ok.ts', reExports('core', 'ports', 'protocol')],
  ['src/server/ok.ts', reExports('core', 'ports', 'protocol', 'runtime')],
  ['src/agent/ok.ts', reExports('core', 'ports', 'protocol', 'runtime', 'adapters/http')],
  [
    'src/app/ok.ts',
    reExports('core', 'causes', 'ports', 'protocol', 'runtime', 'adapters/postgres', 'config', 'sim', 'server'),
  ],
  [
    'src/cli/ok.ts',
    reExports('core', 'causes', 'ports', 'runtime', 'adapters/postgres', 'config', 'server', 'agent', 'app'),
  ],
  ['src/protocol/ok-zod.ts', "import { z } from 'zod'\nexport const text = z.string()"],
  ['src/main.ts', reExports('cli', 'config', 'adapters')],
  ['src/runtime/node.ts', "import { setTimeout } from 'node:timers/promises'\nexport const ok = setTimeout"],
]

let folder: string
let printed: string

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'signalbox-lint-'))
  for (const [file, text] of [...BROKEN, ...SOUND]) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), `${text}\n`)
  }
  for (const name of ['.oxlintrc.json', 'tsconfig.json', 'package.json', 'node_modules']) {
    symlinkSync(path.join(root, name), path.join(folder, name))
  }
  const lint = path.join(root, 'node_modules', '.bin', 'oxlint')
  const ran = spawnSync(lint, ['--type-aware', '--format=unix', 'src'], { cwd: folder, encoding: 'utf8' })
  printed = ran.stdout
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('the lint', () => {
  for (const [file, text, rule] of BROKEN) {
    it(`refuses in ${file}: ${text.split('\n')[0]}`, () => {
      const messages = printed.split('\n').filter((line) => line.startsWith(`${file}:`))
      expect(messages.some((line) => line.includes(`(${rule})`))).toBe(true)
    })
  }

  for (const [file] of SOUND) {
    it(`accepts ${file}`, () => {
      expect(printed.split('\n').filter((line) => line.startsWith(`${file}:`))).toEqual([])
    })
  }
})

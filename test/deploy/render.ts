import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { CHART, runHelm } from './helm.ts'

export type Manifest = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly [field: string]: unknown
}

export const RELEASE = 'signalbox'
export const NAMESPACE = 'signalbox'
export const GUIDE = resolve(CHART, '..', '..', 'docs', 'install.md')

/** The output of `helm template` for these `--set-json` values. */
export async function render(
  folder: string,
  values: Readonly<Record<string, unknown>> = {},
): Promise<readonly Manifest[]> {
  const outcome = await runHelm(['template', RELEASE, CHART, '-n', NAMESPACE, ...settings(values)], folder)
  if (outcome.code !== 0) throw new Error(outcome.stderr)
  return parseAllDocuments(outcome.stdout).flatMap((document) => {
    const manifest = document.toJS() as Manifest | null
    return manifest === null ? [] : [manifest]
  })
}

/** The YAML that a page shows under this first line. */
export async function shownIn(page: string, firstLine: string): Promise<string> {
  const text = await readFile(page, 'utf8')
  const block = text.split('```').find((part) => part.includes(`\n${firstLine}\n`))
  if (block === undefined) throw new Error(`${page} shows nothing under ${firstLine}`)
  return block.slice(block.indexOf(firstLine))
}

export function settings(values: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(values).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`])
}

export function one(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name)
  if (found === undefined) throw new Error(`no ${kind} ${name}`)
  return found
}

/** signalbox.yaml, as the server will read it. */
export function readConfig(manifests: readonly Manifest[]): string {
  const texts = manifests.flatMap(
    ({ data }) => (data as Readonly<Record<string, string>> | undefined)?.['signalbox.yaml'] ?? [],
  )
  if (texts[0] === undefined) throw new Error('no ConfigMap has a signalbox.yaml')
  return texts[0]
}

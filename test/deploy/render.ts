import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { CommandOutcome } from '#test/cluster/command.ts'
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

type Values = Readonly<Record<string, unknown>>

/** The output of `helm template` for these `--set-json` values, in all namespaces unless some are named. */
export async function renderText(folder: string, values: Values = {}): Promise<string> {
  const outcome = await template(
    folder,
    'watch.namespaces' in values ? values : { 'watch.allNamespaces': true, ...values },
  )
  if (outcome.code !== 0) throw new Error(outcome.stderr)
  return outcome.stdout
}

/** With these values alone, which may be refused. */
export function template(folder: string, values: Values): Promise<CommandOutcome> {
  return runHelm(['template', RELEASE, CHART, '-n', NAMESPACE, ...settings(values)], folder)
}

export async function render(folder: string, values: Values = {}): Promise<readonly Manifest[]> {
  return parseAllDocuments(await renderText(folder, values)).flatMap((document) => {
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

export function settings(values: Values): readonly string[] {
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

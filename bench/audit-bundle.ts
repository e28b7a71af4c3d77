import { closeSync, mkdirSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'

import {
  RECORDED,
  SIZES,
  eventRows,
  isBusy,
  nodeName,
  nodeRows,
  podRows,
  printRow,
  toTemplate,
  rowsPerSet,
  runnerName,
  runnerRows,
  setName,
} from './audit-rows.ts'
import type { Template } from './audit-rows.ts'
import { readRecordedFleet } from './recorded-fleet.ts'

const AS_RECORDED = [
  'serviceaccounts',
  'deployments',
  'services',
  'endpointslices',
  'runtimeclasses',
  'namespaces',
  'leases',
  'secrets',
  'storageclasses',
  'persistentvolumeclaims',
  'resourcequotas',
  'limitranges',
  'daemonsets',
]

export type AuditBundle = {
  readonly folder: string
  readonly pods: string
  readonly runners: string
  readonly bytes: number
}

/** Writes the fleet as `kubectl get -o json` and `gh api` print it. */
export async function makeAuditBundle(folder: string): Promise<AuditBundle> {
  const recorded = await readRecordedFleet()
  const readRows = (resource: string): readonly Row[] => parseRows(recorded.get(`kubernetes/${resource}.json`))
  const rowNamed = (resource: string, name: string): Template =>
    toTemplate(readRows(resource).find(({ metadata }) => metadata.name === name))
  const lists: readonly (readonly [resource: string, rows: Iterable<string>])[] = [
    [
      'pods',
      podRows({
        runner: rowNamed('pods', RECORDED.runner),
        listener: rowNamed('pods', RECORDED.listener),
        controller: rowNamed('pods', RECORDED.controller),
      }),
    ],
    ['ephemeralrunners', runnerRows(rowNamed('ephemeralrunners', RECORDED.runner))],
    ['autoscalingrunnersets', rowsPerSet(rowNamed('autoscalingrunnersets', RECORDED.set))],
    ['autoscalinglisteners', rowsPerSet(rowNamed('autoscalinglisteners', RECORDED.listener))],
    ['ephemeralrunnersets', rowsPerSet(rowNamed('ephemeralrunnersets', RECORDED.runnerSet))],
    ['nodes', nodeRows(rowNamed('nodes', RECORDED.node))],
    ['events', eventRows(readRows('events').map(toTemplate))],
    ...AS_RECORDED.map((resource) => [resource, readRows(resource).map(printRow)] as const),
  ]
  const listPath = (resource: string): string => path.join(folder, 'kubernetes', `${resource}.json`)
  for (const [resource, rows] of lists) writeList(listPath(resource), rows)
  writeRest(folder, recorded)
  const pods = listPath('pods')
  return { folder, pods, runners: listPath('ephemeralrunners'), bytes: statSync(pods).size }
}

type Row = { readonly metadata: { readonly name: string } }

function parseRows(text: string | undefined): readonly Row[] {
  return text === undefined ? [] : (JSON.parse(text) as { readonly items: readonly Row[] }).items
}

const PIECE_CHARACTERS = 4_000_000

function writeList(file: string, rows: Iterable<string>): void {
  mkdirSync(path.dirname(file), { recursive: true })
  const out = openSync(file, 'w')
  let piece = '{\n    "apiVersion": "v1",\n    "items": ['
  let comma = ''
  for (const row of rows) {
    piece += `${comma}\n        ${row}`
    comma = ','
    if (piece.length < PIECE_CHARACTERS) continue
    writeSync(out, piece)
    piece = ''
  }
  writeSync(out, `${piece}\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n`)
  closeSync(out)
}

/** What each node measures, logs of the listeners and of the controller, and what GitHub lists. */
function writeRest(folder: string, recorded: ReadonlyMap<string, string>): void {
  const put = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  for (let index = 0; index < SIZES.nodes; index += 1) {
    for (const kind of ['stats', 'configz']) {
      const own = recorded.get(`kubernetes/${kind}/${RECORDED.node}.json`) ?? '{}'
      put(`kubernetes/${kind}/${nodeName(index)}.json`, own.replaceAll(RECORDED.node, nodeName(index)))
    }
  }
  for (let index = 0; index < SIZES.sets; index += 1) {
    const own = recorded.get(`logs/arc-systems/${RECORDED.listener}/listener.log`) ?? ''
    const name = RECORDED.listener.replace(RECORDED.set, setName(index))
    put(`logs/arc-systems/${name}/listener.log`, own.replaceAll(RECORDED.set, setName(index)))
  }
  const manager = `logs/arc-systems/${RECORDED.controller}/manager.log`
  put(manager, recorded.get(manager) ?? '')
  put('github/runners.json', JSON.stringify({ total_count: SIZES.runners, runners: githubRunners() }, null, 2))
  put('github/queued-jobs.json', JSON.stringify(queuedJobs(), null, 2))
  put('github/rate-limit.json', recorded.get('github/rate-limit.json') ?? '{}')
  put('meta.json', recorded.get('meta.json') ?? '{}')
}

function githubRunners(): readonly object[] {
  return Array.from({ length: SIZES.runners }, (_, index) => ({
    id: 10_000 + index,
    name: runnerName(index),
    os: 'linux',
    status: 'online',
    busy: isBusy(index),
    ephemeral: true,
    runner_group_id: 1,
    labels: [{ id: index, name: setName(index % SIZES.sets), type: 'read-only' }],
  }))
}

function queuedJobs(): readonly object[] {
  return Array.from({ length: SIZES.queuedJobs }, (_, index) => ({
    id: 70_000 + index,
    run_id: 60_000 + index,
    run_url: `https://api.github.com/repos/example-org/app-${index % 30}/actions/runs/${60_000 + index}`,
    status: 'queued',
    conclusion: null,
    created_at: '2026-11-15T20:47:40Z',
    name: `build (${index})`,
    workflow_name: 'CI',
    labels: [setName(index % SIZES.sets)],
    runner_id: null,
    runner_name: null,
    steps: [],
  }))
}

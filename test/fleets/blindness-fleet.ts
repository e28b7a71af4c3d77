import { BUNDLE_RESOURCES } from '#/core/evidence/bundle-source.ts'
import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import type { Files } from '#test/bundles/mutate-files.ts'
import { readFleetFiles, readText, withFile } from './fleet-files.ts'
import { KNOWN_FLEETS } from './known-fleets.ts'

/** A healthy fleet with every source; else a recording that lacks some. */
const WELL = [/^(?:\d+-)?healthy-ordinary/, /^0\.14\.2-healthy-idle$/]

/** A healthy fleet in which every source has data: missing or empty ones get harmless data. */
export async function wholeFleet(): Promise<Files> {
  const known = WELL.flatMap((name) => KNOWN_FLEETS.find((fleet) => name.test(fleet.name)) ?? [])[0]
  if (known === undefined) throw new Error('no healthy fleet found')
  return completed(await readFleetFiles(known.path))
}

export function completed(files: Files): Files {
  const nodes = readRows(files, 'nodes').flatMap((node) => textAt(node, 'metadata', 'name') ?? [])
  const [node = 'runner-node-1'] = nodes
  const additions = [...emptyLists(files, node), ...hostFiles(nodes), ...OTHER_FILES]
  const missing = additions.filter(([name]) => name.startsWith('kubernetes/') || isWithout(files, name))
  const whole = missing.reduce((now, [name, text]) => withFile(now, name, text), files)
  return withMeta(whole, (sources) => ({
    ...sources,
    ...Object.fromEntries(missing.map(([name]) => [fileSource(name), { ok: true }])),
  }))
}

/** An empty list has nothing to lose. */
function isWithout(files: Files, name: string): boolean {
  return /^\s*(?:\[\s*\])?\s*$/.test(readText(files, name))
}

export type MetaSources = Readonly<Record<string, unknown>>

export function withMeta(files: Files, change: (sources: MetaSources) => MetaSources): Files {
  const meta = JSON.parse(readText(files, 'meta.json')) as { readonly sources: MetaSources }
  return withFile(files, 'meta.json', JSON.stringify({ ...meta, sources: change(meta.sources) }))
}

function fileSource(name: string): string {
  const [first = '', second = ''] = name.replace(/\.\w+$/, '').split('/')
  return first === 'host' || first === 'fleet' || first === 'journal' ? first : `${first}/${second}`
}

export function readRows(files: Files, resource: string): readonly Fields[] {
  const text = readText(files, `kubernetes/${resource}.json`)
  return text === '' ? [] : (listAt(JSON.parse(text) as unknown, 'items') as readonly Fields[])
}

type Addition = readonly [name: string, text: string]

function emptyLists(files: Files, node: string): readonly Addition[] {
  const empty = BUNDLE_RESOURCES.filter((resource) => readRows(files, resource).length === 0)
  return empty.map((resource) => [
    `kubernetes/${resource}.json`,
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [harmless(resource, node)] }),
  ])
}

/** In its own namespace, so that it does not affect the fleet. */
function harmless(resource: BundleResource, node: string): Fields {
  const metadata = {
    name: `quiet-${resource}`,
    namespace: 'quiet',
    uid: '00000000-0000-4000-8000-000000000001',
    creationTimestamp: '2026-01-01T00:00:00Z',
  }
  return { metadata, ...SPECS[resource]?.(node) }
}

const SPECS: Partial<Readonly<Record<BundleResource, (node: string) => Fields>>> = {
  resourcequotas: () => ({
    spec: { hard: { pods: '1000' } },
    status: { hard: { pods: '1000' }, used: { pods: '1' } },
  }),
  limitranges: () => ({ spec: { limits: [{ type: 'Container', default: { memory: '1Gi' } }] } }),
  persistentvolumeclaims: () => ({
    spec: { storageClassName: 'quiet', accessModes: ['ReadWriteOnce'] },
    status: { phase: 'Bound' },
  }),
  storageclasses: () => ({ provisioner: 'example.com/none', reclaimPolicy: 'Delete' }),
  runtimeclasses: () => ({ handler: 'quiet', overhead: { podFixed: { memory: '16Mi' } } }),
  daemonsets: () => ({
    spec: { selector: { matchLabels: { app: 'quiet' } }, template: { spec: { nodeSelector: { quiet: 'yes' } } } },
    status: { desiredNumberScheduled: 0, numberReady: 0 },
  }),
  horizontalpodautoscalers: () => ({
    spec: { minReplicas: 1, maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'quiet' } },
    status: { currentReplicas: 1, desiredReplicas: 1 },
  }),
  poddisruptionbudgets: () => ({ spec: { minAvailable: 0 }, status: { disruptionsAllowed: 1 } }),
  machines: (node) => ({ status: { phase: 'Running', nodeRef: { kind: 'Node', name: node } } }),
  leases: (node) => ({ spec: { holderIdentity: node, leaseDurationSeconds: 40 } }),
}

function hostFiles(nodes: readonly string[]): readonly Addition[] {
  return nodes.flatMap((node) => [
    [`host/${node}/proc/sys/fs/file-nr`, '4128\t0\t9223372036854775807\n'] as const,
    [`host/${node}/proc/sys/fs/file-max`, '9223372036854775807\n'] as const,
    [`host/${node}/proc/sys/fs/nr_open`, '1048576\n'] as const,
    [
      `host/${node}/proc/cgroups`,
      '#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpuset\t0\t109\t1\nmemory\t0\t109\t1\n',
    ] as const,
    [
      `host/${node}/free-m`,
      '               total        used        free      shared  buff/cache   available\nMem:           23998        1201       20123          12        2674       22511\nSwap:              0           0           0\n',
    ] as const,
  ])
}

const OTHER_FILES: readonly Addition[] = [
  [
    'github/queued-jobs.json',
    JSON.stringify([
      {
        id: 7001,
        run_id: 6001,
        status: 'queued',
        labels: ['ubuntu-latest'],
        created_at: '2026-01-01T00:00:00Z',
        run_url: 'https://api.github.com/repos/quiet/quiet/actions/runs/6001',
      },
    ]),
  ],
  [
    'github/jobs/7002.json',
    JSON.stringify({
      id: 7002,
      run_id: 6002,
      status: 'completed',
      conclusion: 'success',
      labels: ['ubuntu-latest'],
      created_at: '2026-01-01T00:00:00Z',
      started_at: '2026-01-01T00:00:10Z',
      completed_at: '2026-01-01T00:01:00Z',
      run_url: 'https://api.github.com/repos/quiet/quiet/actions/runs/6002',
    }),
  ],
  [
    'github/logs/7002.log',
    '2026-01-01T00:00:11.0000000Z Prepare all required actions\n2026-01-01T00:00:59.0000000Z {"outputs": {"name": "quiet", "result": "all is well here"}}\n',
  ],
  [
    'github/rate-limit.json',
    JSON.stringify({ resources: { core: { limit: 5000, remaining: 4900, reset: 1_900_000_000, used: 100 } } }),
  ],
  [
    'gitlab/config.toml',
    'concurrent = 4\n\n[[runners]]\n  name = "quiet"\n  url = "https://gitlab.example.com"\n  executor = "kubernetes"\n  [runners.kubernetes]\n    namespace = "quiet"\n    image = "alpine:3.22"\n',
  ],
  ['gitlab/runners.json', JSON.stringify([{ id: 1, description: 'quiet', status: 'online', active: true }])],
  ['gitlab/token-owner.json', JSON.stringify({ id: 7, username: 'quiet', access_level: 50 })],
  ['fleet.yaml', 'apiVersion: signalbox.dev/v1alpha1\nkind: Fleet\nmetadata: { name: "quiet" }\nspec: {}\n'],
]

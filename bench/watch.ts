import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { startApiServer } from '#test/cluster/cluster.ts'
import { clusterSupport } from '#test/cluster/support.ts'
import type { Section } from './measured.ts'
import { imitateFleet } from './imitated-fleet.ts'
import type { ImitatedFleet } from './imitated-fleet.ts'
import { readCost } from './process-cost.ts'
import type { ProcessCost } from './process-cost.ts'
import { SIGNALBOX, start, stop, untilTrue } from './running.ts'
import type { Running } from './running.ts'
import { storm } from './storm.ts'

const WATCHED = Number(process.env['BENCH_PODS'] ?? 20_000)
const DEATHS = Number(process.env['BENCH_DEATHS'] ?? 2000)
const QUIET_MS = 15_000
const SELECTOR = 'actions.github.com/scale-set-name'

/** The recorder on a real API server: what 20,000 pods cost, and 100 deaths a second. */
export async function watch(databaseUrl: string): Promise<readonly Section[]> {
  const support = clusterSupport()
  if (support.kind === 'none') {
    const row = { what: 'API server', value: 'missing', note: `NOT MEASURED; to measure: ${support.missing}` }
    return [{ title: 'Watching runner pods', rows: [row] }]
  }
  const cluster = await startApiServer({ audit: 'off' })
  try {
    const fleet = await imitateFleet(cluster)
    console.error(`making ${WATCHED} runner pods on a real API server`)
    const names = await fleet.add(WATCHED)
    const memory = await compareMemory({ kubeconfig: cluster.kubeconfig, databaseUrl, fleet })
    console.error(`ending ${DEATHS} of them, 100 a second`)
    const deaths = await stormOn(names.slice(0, DEATHS), { kubeconfig: cluster.kubeconfig, databaseUrl, fleet })
    await fleet.close()
    return [memory, deaths]
  } finally {
    await cluster.stop()
  }
}

type Place = { readonly kubeconfig: string; readonly databaseUrl: string; readonly fleet: ImitatedFleet }

async function compareMemory({ kubeconfig, databaseUrl, fleet: { namespace } }: Place): Promise<Section> {
  const peer = await atRest(startInformer(kubeconfig, namespace), (text) => text.includes(`synced ${WATCHED}`))
  const ours = await atRest(startServe({ kubeconfig, databaseUrl, namespace }), hasAll)
  const row = (what: string, { megabytes, cpuSeconds }: ProcessCost, note: string) => {
    return {
      what,
      value: `${megabytes.toFixed(0)} MB`,
      note: `${cpuSeconds.toFixed(1)} s of CPU until it rested${note}`,
    }
  }
  const ratio = (ours.megabytes / peer.megabytes).toFixed(2)
  return {
    title: `${WATCHED} runner pods watched on a real API server, resident memory after ${QUIET_MS / 1000} s of rest`,
    rows: [
      row('@kubernetes/client-node informer', peer, ''),
      row('signalbox serve', ours, `; ${ratio} × the informer (goal: 0.50)`),
    ],
  }
}

/** What the process holds when it has them all and a quiet time has passed. */
async function atRest(
  running: Running,
  isSynced: (text: string, running: Running) => boolean | Promise<boolean>,
): Promise<ProcessCost> {
  const { child, said } = running
  try {
    await untilTrue(async () => await isSynced(said(), running), said)
    await sleep(QUIET_MS)
    return readCost(child.pid ?? 0)
  } finally {
    await stop(child)
  }
}

async function hasAll(_text: string, { url }: Running): Promise<boolean> {
  return (await metric(url(), 'signalbox_watched_pods')) === WATCHED
}

async function metric(url: string | null, name: string): Promise<number | null> {
  if (url === null) return null
  const text = await fetch(`${url}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  )
  const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)
  return found === null ? null : Number(found[1])
}

function startInformer(kubeconfig: string, namespace: string): Running {
  const script = path.join(import.meta.dirname, 'peers', 'informer.ts')
  return start(process.execPath, [script, namespace, SELECTOR], { KUBECONFIG: kubeconfig })
}

function startServe({
  kubeconfig,
  databaseUrl,
  namespace,
}: Omit<Place, 'fleet'> & { readonly namespace: string }): Running {
  const flags = ['--listen', '127.0.0.1:0', '--kubeconfig', kubeconfig, '--namespace', namespace]
  return start(SIGNALBOX, ['serve', ...flags], {
    DATABASE_URL: databaseUrl,
    // Nodes that nobody is have no logs, and the peer reads none.
    SIGNALBOX_KUBERNETES_FOLLOWED_LOGS: '0',
  })
}

async function stormOn(names: readonly string[], place: Place): Promise<Section> {
  const { fleet, databaseUrl } = place
  const running = startServe({ ...place, namespace: fleet.namespace })
  const pool = new Pool({ connectionString: databaseUrl })
  try {
    await untilTrue(() => hasAll('', running), running.said)
    // A start also saves every live pod; here the deaths are measured.
    await sleep(QUIET_MS)
    const before = readCost(running.child.pid ?? 0)
    const result = await storm(names, { end: fleet.end, pool })
    const after = readCost(running.child.pid ?? 0)
    return {
      title: `${names.length} deaths at 100 a second on a real API server (${WATCHED} pods watched)`,
      rows: [
        {
          what: 'ended, stored, judged',
          value: `${result.ended}, ${result.stored}, ${result.judged}`,
          note: result.ended === result.judged ? 'nothing lost' : 'LOST SOME',
        },
        { what: 'rate at which they ended', value: `${result.rate.toFixed(0)}/s`, note: '' },
        { what: 'from terminal to stored', value: `p50 ${result.storedP50} ms`, note: `p99 ${result.storedP99} ms` },
        { what: 'from terminal to judged', value: `p50 ${result.judgedP50} ms`, note: `p99 ${result.judgedP99} ms` },
        {
          what: 'signalbox serve',
          value: `${after.megabytes.toFixed(0)} MB`,
          note: `${(after.cpuSeconds - before.cpuSeconds).toFixed(1)} s of CPU for all of them`,
        },
      ],
    }
  } finally {
    await stop(running.child)
    await pool.end()
  }
}

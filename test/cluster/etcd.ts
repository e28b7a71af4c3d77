import { join } from 'node:path'
import type { BackgroundProcess } from './background-process.ts'
import { startProcess, untilServing } from './background-process.ts'
import { freePorts } from './free-port.ts'
import type { Guard } from './guard.ts'

export interface Etcd {
  readonly url: string
  readonly process: BackgroundProcess
  /** Forgets all history up to now; returns the revision. A request for an older one gets 410. */
  readonly compact: () => Promise<number>
}

const START_TIMEOUT_MS = 120_000

export async function startEtcd(guard: Guard, program: string): Promise<Etcd> {
  const [clientPort, peerPort] = await freePorts(2)
  const [url, peerUrl] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`]
  const process = await startProcess(guard, {
    name: 'etcd',
    program,
    logsTo: 'file',
    args: [
      `--data-dir=${join(guard.folder, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      // The data need not survive the machine.
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
  })
  await untilServing(process, START_TIMEOUT_MS, async () => {
    const answer = await fetch(`${url}/health`).catch(() => undefined)
    return answer?.ok === true
  })
  return { url, process, compact: () => compact(url) }
}

async function compact(url: string): Promise<number> {
  // The revision is in the header of every answer; the key need not exist.
  const range = (await post(`${url}/v3/kv/range`, { key: Buffer.from('none').toString('base64') })) as RangeAnswer
  await post(`${url}/v3/kv/compaction`, { revision: range.header.revision, physical: true })
  return Number(range.header.revision)
}

interface RangeAnswer {
  readonly header: { readonly revision: string }
}

async function post(url: string, body: unknown): Promise<unknown> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`etcd answered ${answer.status}: ${await answer.text()}`)
  return await answer.json()
}

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Section } from './measured.ts'
import { readCost } from './process-cost.ts'
import { SIGNALBOX, start, stop, untilTrue } from './running.ts'

const IDLE_MS = 60_000
const PERCENT = 100

/** What an agent costs its node while nobody dies. */
export async function idleAgent(databaseUrl: string): Promise<Section> {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-bench-agent-'))
  const tokenFile = path.join(folder, 'token')
  writeFileSync(tokenFile, randomUUID(), { mode: 0o600 })
  const serving = ['--listen', '127.0.0.1:0', '--data', folder, '--agent-token-file', tokenFile]
  const serve = start(SIGNALBOX, ['serve', ...serving], { DATABASE_URL: databaseUrl, KUBECONFIG: '/dev/null' })
  try {
    await untilTrue(async () => serve.url() !== null, serve.said)
    const dialing = ['--server', serve.url() ?? '', '--node', 'this-node', '--token-file', tokenFile]
    const agent = start(SIGNALBOX, ['agent', ...dialing], {})
    try {
      await untilTrue(async () => agent.said().includes('connected to the server'), agent.said)
      console.error(`an agent rests for ${IDLE_MS / 1000} s`)
      const before = readCost(agent.child.pid ?? 0)
      await sleep(IDLE_MS)
      const { megabytes, cpuSeconds } = readCost(agent.child.pid ?? 0)
      const share = ((cpuSeconds - before.cpuSeconds) / (IDLE_MS / 1000)) * PERCENT
      const note = `${share.toFixed(2)} % of one core over ${IDLE_MS / 1000} s`
      return { title: 'An idle agent', rows: [{ what: 'signalbox agent', value: `${megabytes.toFixed(0)} MB`, note }] }
    } finally {
      await stop(agent.child)
    }
  } finally {
    await stop(serve.child)
    rmSync(folder, { recursive: true, force: true })
  }
}

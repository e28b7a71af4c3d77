import { parentPort, workerData } from 'node:worker_threads'
import { HOSTILE_ANSWERS, HOSTILE_JOURNALS } from './hostile-evidence.ts'
import { startPaperAgent } from './paper-agent.ts'
import type { Lie } from './paper-agent.ts'

/** An agent in a thread of its own: what it costs to send must not be taken for what it costs the server. */

export type Attack = { readonly journal: string | null; readonly answer: string | null }
export type HostileAgentData = { readonly url: string; readonly node: string; readonly token: string }

let journal: Uint8Array = new Uint8Array()
let lie: Lie | null = null

parentPort?.on('message', (attack: Attack) => {
  journal = (attack.journal === null ? null : HOSTILE_JOURNALS[attack.journal]?.()) ?? new Uint8Array()
  lie = (attack.answer === null ? null : HOSTILE_ANSWERS[attack.answer]?.()) ?? null
  parentPort?.postMessage('armed', [])
})
const agent = startPaperAgent({ ...(workerData as HostileAgentData), journal: () => journal, lie: () => lie })
await agent.connected
parentPort?.postMessage('connected', [])

import { planContainers } from '#/runtime/collect/request/targets.ts'
import { gatherStoredJournal, gatherStoredLogs } from '#/runtime/collect/sources/stored-logs.ts'
import { into, journalWindow } from './ask-agent.ts'
import type { Draft } from './draft.ts'
import { hasLooked } from './draft.ts'
import { buildMeans } from './enrich-ports.ts'
import type { EnrichPorts } from './enrich-ports.ts'
import { late, readSource } from './read-source.ts'
import type { Reading } from './read-source.ts'

const STORE_MS = 90_000

/** Where no agent gave them: the journal of the node, and the logs that went with the pod, from where they are kept. */
export async function addStored(draft: Draft, ports: EnrichPorts, reading: Reading): Promise<void> {
  const { node, namespace, name } = reading.pod.facts
  if (node === null || (ports.logStore ?? null) === null) return
  const order = {
    sources: [`journal/${node}`],
    lane: ports.lanes.journal,
    key: 'log store',
    waitingFor: { kind: 'journal', what: `the journal of node ${node} in the log store` },
    mostMs: STORE_MS,
    late: late('the log store'),
  } as const
  const containers = planContainers(reading.pod.object)
  const missing = containers.filter((one) => !hasLooked(draft, `logs/${namespace}/${name}/${one.name}`))
  await readSource(draft, order, reading, async (own, limited) => {
    const means = buildMeans(own, ports, limited)
    const window = journalWindow(reading.pod, means.request.clock.now())
    await into(own, gatherStoredJournal(means, node, window))
    if (missing.length === 0) return
    await into(own, gatherStoredLogs(means, { namespace, pod: name, containers: missing }, window))
  })
}

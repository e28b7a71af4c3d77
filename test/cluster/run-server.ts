import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PEOPLE } from '#test/bundles/record/deaths/ended-by-others.ts'
import type { NodeCluster } from './cluster.ts'
import { startNodeCluster } from './cluster.ts'
import type { Machine } from './machine.ts'
import { startMachine } from './machine.ts'
import { RUN_PATHS } from './provided.ts'
import { describeSharedNode } from './shared-node.ts'

export interface RunServer {
  readonly url: string
  /** Stops what was started. */
  readonly close: () => Promise<void>
}

/** Holds more pods than the default of 110: the pods of several test files run on it at once. */
const SHARED_OPTIONS = {
  machine: 'test-run',
  kubeletConfig: { maxPods: 300 },
  users: PEOPLE.map((name) => ({ name, groups: ['system:masters'] })),
} as const

/** The machine and the shared node of a test run, started by the first test file that asks. */
export async function startRunServer(): Promise<RunServer> {
  let machine: Promise<Machine> | undefined
  let shared: Promise<NodeCluster> | undefined
  const startShared = async (): Promise<NodeCluster> => {
    await (machine ??= startMachine())
    return await startNodeCluster(SHARED_OPTIONS)
  }
  const answer = async (path: string | undefined, response: ServerResponse): Promise<void> => {
    if (path === RUN_PATHS.machine) {
      await (machine ??= startMachine())
      response.end()
    } else if (path === RUN_PATHS.node) {
      response.end(JSON.stringify(describeSharedNode(await (shared ??= startShared()))))
    } else {
      response.writeHead(404).end()
    }
  }
  const server = createServer((request, response) => {
    answer(request.url, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      // The node first: its last lines go to the journal of the machine.
      await (await shared?.catch(() => undefined))?.stop()
      await (await machine?.catch(() => undefined))?.stop()
    },
  }
}

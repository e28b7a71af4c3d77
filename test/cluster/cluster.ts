import type { ApiServerOptions, ControlPlane } from './control-plane.ts'
import { startControlPlane } from './control-plane.ts'
import { startControllerManager, startScheduler } from './controllers.ts'
import { NODE_NAME, nodeUser } from './credentials.ts'
import { readClusterEnvironment } from './environment.ts'
import type { Guard } from './guard.ts'
import { startGuard } from './guard.ts'
import { API_SERVER_PROGRAMS, provideBinaries } from './kubernetes-binaries.ts'
import { nodeLockFile } from './machine.ts'
import type { ClusterNode, NodeOptions } from './node.ts'
import { startNode, startRuntime } from './node.ts'
import { settled } from './until.ts'

/** A control plane without nodes: pods are objects that nothing runs. */
export interface ApiServer extends ControlPlane, AsyncDisposable {
  /** Ends and removes everything; throws if something is left. */
  readonly stop: () => Promise<void>
}

/** A control plane with all controllers and one real node. */
export interface NodeCluster extends ApiServer {
  readonly node: ClusterNode
}

export type NodeClusterOptions = Omit<ApiServerOptions, 'controllers'> & NodeOptions

export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const wanted = options.controllers === true ? undefined : API_SERVER_PROGRAMS
  const binaries = await provideBinaries(readClusterEnvironment(), wanted)
  return await underGuard(await startGuard(), async (guard) => {
    const controlPlane = await startControlPlane(guard, binaries, options)
    const extraFlags = options.controllerFlags ?? []
    if (options.controllers === true) await startControllerManager({ guard, binaries, controlPlane, extraFlags })
    return { ...controlPlane, ...toDisposable(guard) }
  })
}

/** One that prepares the machine itself is alone on it: a second one waits until the first is gone. */
export async function startNodeCluster(options: NodeClusterOptions = {}): Promise<NodeCluster> {
  const binaries = await provideBinaries(readClusterEnvironment())
  const machine = options.machine ?? 'this-node'
  const lock = machine === 'this-node' ? { lockFile: nodeLockFile() } : {}
  const users = [nodeUser(options.nodeName ?? NODE_NAME), ...(options.users ?? [])]
  return await underGuard(await startGuard(lock), async (guard) => {
    const [controlPlane, runtime] = await settled([
      startControlPlane(guard, binaries, { ...options, users }),
      startRuntime(guard, machine),
    ])
    const plan = { guard, binaries, controlPlane, runtime, options }
    const [node] = await settled([
      startNode(plan),
      startControllerManager({ ...plan, extraFlags: options.controllerFlags ?? [] }),
      startScheduler({ ...plan, extraFlags: [] }),
    ])
    return { ...controlPlane, node, ...toDisposable(guard) }
  })
}

async function underGuard<T>(guard: Guard, start: (guard: Guard) => Promise<T>): Promise<T> {
  try {
    return await start(guard)
  } catch (error) {
    await guard.end()
    throw error
  }
}

function toDisposable(guard: Guard): Pick<ApiServer, 'stop' | typeof Symbol.asyncDispose> {
  return { stop: guard.end, [Symbol.asyncDispose]: guard.end }
}

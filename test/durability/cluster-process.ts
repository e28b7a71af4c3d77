import { fork } from 'node:child_process'
import { once } from 'node:events'
import { startSimulatedCluster } from './simulated-cluster.ts'
import type { SimulatedCluster } from './simulated-cluster.ts'

type Asked = { readonly live: string }
type Answered = { readonly kubeconfig: string } | { readonly name: string; readonly uid: string }

/** A simulated cluster in a process of its own: whoever measures must not share its event loop. */
export async function startClusterProcess(): Promise<Pick<SimulatedCluster, 'kubeconfig' | 'live'> & AsyncDisposable> {
  const child = fork(import.meta.filename, [], { execArgv: [], stdio: 'inherit' })
  const ended = once(child, 'exit')
  const ready = Promise.withResolvers<string>()
  const ends = new Map<string, (uid: string) => void>()
  child.on('message', (message) => {
    const answered = message as Answered
    if ('kubeconfig' in answered) return ready.resolve(answered.kubeconfig)
    ends.get(answered.name)?.(answered.uid)
    ends.delete(answered.name)
  })
  void ended.then(() => ready.reject(new Error('the simulated cluster ended')))
  return {
    kubeconfig: await ready.promise,
    live: (name) => {
      const end = Promise.withResolvers<string>()
      ends.set(name, end.resolve)
      child.send({ live: name } satisfies Asked)
      return end.promise
    },
    [Symbol.asyncDispose]: async () => {
      child.disconnect()
      await ended
    },
  }
}

async function serveParent(): Promise<void> {
  const cluster = await startSimulatedCluster()
  const answer = (answered: Answered): unknown => process.send?.(answered)
  process.on('message', (message) => {
    const { live: name } = message as Asked
    void cluster.live(name).then((uid) => answer({ name, uid }))
  })
  // Also when the parent was killed.
  process.once('disconnect', () => void cluster[Symbol.asyncDispose]().then(() => process.exit(0)))
  answer({ kubeconfig: cluster.kubeconfig })
}

if (import.meta.main) await serveParent()

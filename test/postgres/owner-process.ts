import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { OwnerArguments, OwnerLine } from './embedded-owner.ts'

export type OwnerRequest = OwnerArguments & {
  readonly checkout?: string
  readonly node?: string
  readonly user?: { readonly uid: number; readonly gid: number }
}
export type OwnerProcess = {
  readonly pid: number
  readonly notices: readonly string[]
  /** The outcome of the start. */
  readonly outcome: Promise<Exclude<OwnerLine, { kind: 'notice' }>>
  readonly exited: Promise<unknown>
}

/** Owns an embedded server in another process, as leader of its own process group. Ended with the test. */
export function startOwner({ checkout, node, user, ...request }: OwnerRequest): OwnerProcess {
  const program = join(checkout ?? process.cwd(), 'test', 'postgres', 'embedded-owner.ts')
  const child = spawn(node ?? process.execPath, [program, JSON.stringify(request)], {
    ...user,
    cwd: checkout ?? process.cwd(),
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGINT')
    await exited
  })
  const notices: string[] = []
  const { promise: outcome, resolve, reject } = Promise.withResolvers<Exclude<OwnerLine, { kind: 'notice' }>>()
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as OwnerLine
    if (line.kind === 'notice') notices.push(line.line)
    else resolve(line)
  })
  void exited.then(() => reject(new Error('the owner ended without an outcome')))
  // A test that kills the owner early does not read the outcome.
  outcome.catch(() => undefined)
  if (child.pid === undefined) throw new Error('the owner could not be started')
  return { pid: child.pid, notices, outcome, exited }
}

export async function startedServer(owner: OwnerProcess): Promise<Extract<OwnerLine, { kind: 'started' }>> {
  const outcome = await owner.outcome
  if (outcome.kind === 'refused') throw new Error(`${outcome.why}\n${outcome.next}`)
  return outcome
}

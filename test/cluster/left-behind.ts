/**
 * `node test/cluster/left-behind.ts`, at the end of a test run: lists what the tests left on the machine, and fails if
 * there is anything. With a separate TMPDIR, folders and processes of another test run are not listed.
 */
import { readdirSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readMounts } from './mounts.ts'
import { isAlive, identify, listProcesses } from './process-identity.ts'

/** What is on the machine and could belong to the tests. */
export interface Remains {
  readonly processes: readonly { readonly pid: number; readonly commandLine: readonly string[] }[]
  /** Mount points. */
  readonly mounts: readonly string[]
  readonly cgroups: readonly string[]
  /** Names in the folder for temporary files. */
  readonly temporary: readonly string[]
  readonly addresses: readonly string[]
}

/** All folders that the tests make for themselves begin with this. */
const PREFIX = 'signalbox'
const CLUSTER_PREFIX = 'signalbox-cluster-'
/** The address range for tests (RFC 2544); nodes and Services use it. */
const TEST_ADDRESS = /^198\.1[89]\./u
/** A process that is ending may need a moment. */
const PATIENCE_MS = 30_000
const POLL_MS = 500

export interface Place {
  readonly temporaryFolder: string
  readonly checkout: string
}

/** One line for each thing of ours. */
export function leftBehind(remains: Remains, { temporaryFolder, checkout }: Place): readonly string[] {
  const ours = join(temporaryFolder, PREFIX)
  const isOurs = (arg: string): boolean =>
    arg.includes(ours) || (arg.startsWith(`${checkout}/`) && OUR_PROGRAM.test(arg))
  return [
    ...remains.processes
      .filter(({ commandLine }) => commandLine.some(isOurs))
      .map(({ pid, commandLine }) => `process ${pid}: ${commandLine.join(' ').trim().slice(0, 200)}`),
    ...remains.mounts.filter((point) => point.startsWith(ours)).map((point) => `mount ${point}`),
    ...remains.cgroups.filter((path) => basename(path).startsWith(CLUSTER_PREFIX)).map((path) => `cgroup ${path}`),
    ...remains.temporary
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => `folder ${join(temporaryFolder, name)}`),
    ...remains.addresses.filter((address) => TEST_ADDRESS.test(address)).map((address) => `address ${address}`),
  ]
}

/** Of the product, the harness and vitest. */
const OUR_PROGRAM = /\/test\/cluster\/(?:guardian|abandoning-owner)\.ts$|\/vitest\/dist\/workers\/|\/src\/main\.ts$/u

function look(): Remains {
  const mounts = readMounts()
  const hierarchies = mounts.filter(({ type }) => type === 'cgroup' || type === 'cgroup2')
  return {
    processes: listProcesses().filter(({ pid }) => pid !== process.pid && isAlive(identify(pid))),
    mounts: mounts.map(({ point }) => point),
    cgroups: hierarchies.flatMap(({ point }) => listEntries(point).map((name) => join(point, name))),
    temporary: listEntries(tmpdir()),
    addresses: Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)),
  }
}

function listEntries(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

async function main(): Promise<void> {
  const place = { temporaryFolder: tmpdir(), checkout: resolve(import.meta.dirname, '..', '..') }
  const deadline = performance.now() + PATIENCE_MS
  let left = leftBehind(look(), place)
  while (left.length > 0 && performance.now() < deadline) {
    await sleep(POLL_MS)
    left = leftBehind(look(), place)
  }
  for (const line of left) process.stderr.write(`left behind by the tests: ${line}\n`)
  if (left.length > 0) process.exitCode = 1
}

if (import.meta.main) await main()

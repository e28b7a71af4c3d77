import { spawnSync } from 'node:child_process'
import { findExecutable, isExecutable } from './command.ts'
import type { ClusterEnvironment } from './environment.ts'
import { readClusterEnvironment } from './environment.ts'
import { JOURNALD } from './journal.ts'
import { API_SERVER_PROGRAMS, locateBinaries, missingPrograms } from './kubernetes-binaries.ts'

/** Which parts of a cluster this machine can run, and in one line how to enable the rest. */
export type ClusterSupport =
  | { readonly kind: 'full' }
  /** `controllers`: whether kube-controller-manager exists or can be built. */
  | { readonly kind: 'api-server-only'; readonly controllers: boolean; readonly missing: string }
  | { readonly kind: 'none'; readonly missing: string }

export interface ObservedMachine {
  /** The three programs of the API server exist, built or from KUBEBUILDER_ASSETS. */
  readonly apiServerBuilt: boolean
  readonly allBuilt: boolean
  /** As `go env GOVERSION` says, for example `go1.26.8`. */
  readonly goVersion: string | undefined
  readonly platform: string
  readonly root: boolean
  /** The commands of NODE_COMMANDS that were not found. */
  readonly missingCommands: readonly string[]
}

/** The Go that Kubernetes 1.36 asks for in its go.mod. */
const GO_WANTED = { major: 1, minor: 26 } as const

/** Each command that a node needs, with the Debian package that has it. */
const NODE_COMMANDS: Readonly<Record<string, string>> = {
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  busybox: 'busybox-static',
  'systemd-cat': 'systemd',
  journalctl: 'systemd',
  [JOURNALD]: 'systemd',
  flock: 'util-linux',
  umount: 'mount',
  tar: 'tar',
}

export function goIsRecentEnough(version: string | undefined): boolean {
  const found = /^go(\d+)\.(\d+)/u.exec(version ?? '')
  if (found === null) return false
  const [major, minor] = [Number(found[1]), Number(found[2])]
  return major > GO_WANTED.major || (major === GO_WANTED.major && minor >= GO_WANTED.minor)
}

export function decideSupport(machine: ObservedMachine): ClusterSupport {
  const canBuild = goIsRecentEnough(machine.goVersion)
  const wanted = `Go ${GO_WANTED.major}.${GO_WANTED.minor}`
  const found = machine.goVersion === undefined ? 'none was found' : `found ${machine.goVersion}`
  if (!machine.apiServerBuilt && !canBuild) {
    return { kind: 'none', missing: `install ${wanted} or newer (${found}), or set KUBEBUILDER_ASSETS` }
  }
  const controllers = machine.allBuilt || canBuild
  if (!controllers) {
    const missing = `install ${wanted} or newer (${found}), to build kubelet and controllers`
    return { kind: 'api-server-only', controllers, missing }
  }
  const missing = missingForNode(machine)
  return missing === undefined ? { kind: 'full' } : { kind: 'api-server-only', controllers, missing }
}

function missingForNode(machine: ObservedMachine): string | undefined {
  if (machine.platform !== 'linux') return `run on Linux (this is ${machine.platform}), to have a node`
  const packages = new Set(machine.missingCommands.map((command) => NODE_COMMANDS[command] ?? command))
  const install = packages.size === 0 ? [] : [`apt-get install -y ${[...packages].sort().join(' ')}`]
  const wanted = [...(machine.root ? [] : ['run as root']), ...install]
  return wanted.length === 0 ? undefined : `${wanted.join(' after ')}, to have a node`
}

export function clusterSupport(environment: ClusterEnvironment = readClusterEnvironment()): ClusterSupport {
  const binaries = locateBinaries(environment)
  const allBuilt = missingPrograms(binaries).length === 0
  return decideSupport({
    allBuilt,
    apiServerBuilt: missingPrograms(binaries, API_SERVER_PROGRAMS).length === 0,
    goVersion: allBuilt ? undefined : observeGo(environment),
    platform: process.platform,
    root: process.getuid?.() === 0,
    missingCommands: Object.keys(NODE_COMMANDS).filter((command) => !isThere(command, environment)),
  })
}

function isThere(command: string, environment: ClusterEnvironment): boolean {
  if (command.startsWith('/')) return isExecutable(command)
  return findExecutable(command, environment.searchPath) !== undefined
}

function observeGo(environment: ClusterEnvironment): string | undefined {
  const go = findExecutable('go', environment.searchPath)
  if (go === undefined) return undefined
  const answer = spawnSync(go, ['env', 'GOVERSION'], { env: environment.inherited, encoding: 'utf8' })
  return answer.status === 0 ? answer.stdout.trim() : undefined
}

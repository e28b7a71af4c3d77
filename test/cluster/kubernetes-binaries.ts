import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findExecutable, isExecutable, progress } from './command.ts'
import type { ClusterEnvironment } from './environment.ts'
import { withFileLock } from './file-lock.ts'
import { startGuard } from './guard.ts'
import { identify } from './process-identity.ts'

export const KUBERNETES_VERSION = 'v1.36.3'

const MODULE_FOLDER = join(import.meta.dirname, 'kubernetes-module')

/** A program of the cluster, and the Go package that it is built from. */
const PACKAGES = {
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  etcd: 'go.etcd.io/etcd/server/v3',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  kubelet: 'k8s.io/kubernetes/cmd/kubelet',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
} as const

export type KubernetesProgram = keyof typeof PACKAGES
export type KubernetesBinaries = Readonly<Record<KubernetesProgram, string>>

/** What envtest ships: enough for an API server without a node. */
export const API_SERVER_PROGRAMS = ['kube-apiserver', 'etcd', 'kubectl'] as const satisfies KubernetesProgram[]
const PROGRAMS = Object.keys(PACKAGES) as readonly KubernetesProgram[]

/** Where each program is or would be: envtest's folder for what it has, the cache for the rest. */
export function locateBinaries(environment: ClusterEnvironment): KubernetesBinaries {
  const built = builtFolder(environment)
  const assets = environment.kubebuilderAssets
  const fromAssets = (program: KubernetesProgram): boolean =>
    assets !== undefined && (API_SERVER_PROGRAMS as readonly KubernetesProgram[]).includes(program)
  return Object.fromEntries(
    PROGRAMS.map((program) => [program, join(fromAssets(program) ? (assets ?? built) : built, program)]),
  ) as KubernetesBinaries
}

export function missingPrograms(
  binaries: KubernetesBinaries,
  wanted: readonly KubernetesProgram[] = PROGRAMS,
): readonly KubernetesProgram[] {
  return wanted.filter((program) => !isExecutable(binaries[program]))
}

/** Builds what is missing of the wanted programs, once for all processes that ask at the same time. */
export async function provideBinaries(
  environment: ClusterEnvironment,
  wanted: readonly KubernetesProgram[] = PROGRAMS,
): Promise<KubernetesBinaries> {
  const binaries = locateBinaries(environment)
  if (missingPrograms(binaries, wanted).length === 0) return binaries
  const lock = {
    lockFile: join(environment.cacheFolder, 'kubernetes', `${KUBERNETES_VERSION}.lock`),
    onWait: () => progress(`another process is building Kubernetes ${KUBERNETES_VERSION}; waiting for it`),
  }
  await withFileLock(lock, async () => {
    if (missingPrograms(binaries, wanted).length > 0) await build(environment)
  })
  const missing = missingPrograms(binaries, wanted)
  if (missing.length > 0) throw new Error(`no ${missing.join(', ')} where ${binaries['kube-apiserver']} should be`)
  return binaries
}

function builtFolder(environment: ClusterEnvironment): string {
  return join(environment.cacheFolder, 'kubernetes', KUBERNETES_VERSION)
}

async function build(environment: ClusterEnvironment): Promise<void> {
  const startedMs = performance.now()
  const target = builtFolder(environment)
  const parent = join(target, '..')
  // We hold the lock, so a scratch folder that is here belongs to a builder that was killed.
  const scratches = (await readdir(parent)).filter((name) => name.startsWith('building-'))
  await Promise.all(scratches.map((name) => rm(join(parent, name), { recursive: true, force: true })))
  const scratch = await mkdtemp(join(parent, 'building-'))
  try {
    progress(`building Kubernetes ${KUBERNETES_VERSION} from the Go module proxy (about ten minutes, once) ...`)
    await compile(scratch, environment)
    await rename(join(scratch, 'bin', 'server'), join(scratch, 'bin', 'etcd'))
    await chmod(join(scratch, 'bin'), 0o755)
    await rm(target, { recursive: true, force: true })
    await rename(join(scratch, 'bin'), target)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  progress(`built Kubernetes ${KUBERNETES_VERSION} in ${Math.round((performance.now() - startedMs) / 1000)} s`)
}

/** One `go build` for all programs: they share most of their packages, and the linker's turns overlap. */
async function compile(scratch: string, environment: ClusterEnvironment): Promise<void> {
  // The copy keeps the checkout untouched, should this Go write to a go.mod it is given.
  await cp(MODULE_FOLDER, join(scratch, 'module'), { recursive: true })
  await Promise.all([mkdir(join(scratch, 'bin')), mkdir(join(scratch, 'temp'))])
  const args = [
    'build',
    '-trimpath',
    '-buildvcs=false',
    '-mod=readonly',
    `-ldflags=${linkerFlags(KUBERNETES_VERSION)}`,
    '-o',
    join(scratch, 'bin/'),
    ...Object.values(PACKAGES),
  ]
  // A build whose owner was killed must not go on for ten minutes.
  const guard = await startGuard()
  const child = spawn(findExecutable('go', environment.searchPath) ?? 'go', args, {
    cwd: join(scratch, 'module'),
    // Without cgo no C compiler is needed. GOFLAGS and a workspace of the user's own must not reach in here.
    env: { ...environment.inherited, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off', GOTMPDIR: join(scratch, 'temp') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const closed = once(child, 'close') as Promise<readonly unknown[]>
  if (child.pid !== undefined) guard.record({ kind: 'process', identity: identify(child.pid), ending: 'SIGKILL' })
  createInterface({ input: child.stderr }).on('line', (line) => {
    // Two hundred of these would hide the one that matters.
    if (!line.startsWith('go: downloading ')) progress(line)
  })
  const stillBuilding = setInterval(() => progress('still building Kubernetes ...'), 60_000)
  try {
    const [code] = await closed
    if (code !== 0) throw new Error(`go build of Kubernetes ${KUBERNETES_VERSION} ended with ${String(code)}`)
  } finally {
    clearInterval(stillBuilding)
    await guard.end()
  }
}

/** Without these a client sees `v0.0.0-master`. */
export function linkerFlags(version: string): string {
  const [major = '', minor = ''] = version.slice(1).split('.')
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor }
  const settings = Object.entries(values).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
  return ['-s', '-w', ...settings].join(' ')
}

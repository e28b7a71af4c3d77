import { describe, expect, test } from 'vitest'
import { DEFAULT_AUDIT_POLICY, renderApiServerFlags } from './api-server-flags.ts'
import { renderImageConfig } from './busybox-image.ts'
import { planCgroups } from './cgroup.ts'
import { renderCniConfig, renderContainerdConfig } from './containerd.ts'
import { renderKubeconfig, renderTokenFile } from './credentials.ts'
import { parseClusterEnvironment } from './environment.ts'
import { renderKubeletConfig } from './kubelet.ts'
import { linkerFlags, locateBinaries } from './kubernetes-binaries.ts'
import { parseMounts } from './mounts.ts'
import { busyboxPod } from './pods.ts'
import { parseStat } from './process-identity.ts'
import { planSuite } from './suites.ts'
import type { ClusterSupport, ObservedMachine } from './support.ts'
import { decideSupport, goIsRecentEnough } from './support.ts'

const capable: ObservedMachine = {
  apiServerBuilt: false,
  allBuilt: false,
  goVersion: 'go1.26.8',
  platform: 'linux',
  root: true,
  missingCommands: [],
}
const built = { apiServerBuilt: true, allBuilt: true, goVersion: undefined }

describe('what a machine supports', () => {
  test.each<[string, Partial<ObservedMachine>, ClusterSupport['kind'], string]>([
    ['everything, with Go', {}, 'full', ''],
    ['everything, without Go but already built', built, 'full', ''],
    ['nothing without Go', { goVersion: undefined }, 'none', 'install Go 1.26 or newer (none was found), or set KUBE'],
    ['nothing with an old Go', { goVersion: 'go1.25.1' }, 'none', '(found go1.25.1)'],
    ['no node with envtest alone', { apiServerBuilt: true, goVersion: undefined }, 'api-server-only', 'build kubelet'],
    ['no node for a user', { root: false }, 'api-server-only', 'run as root'],
    ['no node on a Mac', { ...built, platform: 'darwin' }, 'api-server-only', 'run on Linux (this is darwin)'],
    [
      'no node without packages, each named once',
      { missingCommands: ['containerd', 'ctr', 'busybox'] },
      'api-server-only',
      'apt-get install -y busybox-static containerd, to have a node',
    ],
    [
      'all that is missing, in one line',
      { root: false, missingCommands: ['runc'] },
      'api-server-only',
      'run as root after apt-get install -y runc',
    ],
  ])('%s', (_, machine, kind, missing) => {
    const support = decideSupport({ ...capable, ...machine })
    expect(support.kind).toBe(kind)
    expect(support.kind === 'full' ? '' : support.missing).toContain(missing)
  })

  test.each([
    ['go1.26', true],
    ['go1.26rc1', true],
    ['go1.27.3', true],
    ['go2.0', true],
    ['go1.9', false],
    ['devel', false],
    [undefined, false],
  ])('Go %s is recent enough: %s', (version, expected) => {
    expect(goIsRecentEnough(version)).toBe(expected)
  })

  const part: ClusterSupport = { kind: 'api-server-only', controllers: false, missing: 'run as root' }
  test.each([
    ['node', { kind: 'full' } as const, true, 'run'],
    ['api-server', part, true, 'run'],
    ['controllers', part, false, 'skip'],
    ['controllers', { ...part, controllers: true }, true, 'run'],
    ['node', part, false, 'skip'],
    ['node', part, true, 'fail'],
    ['api-server', { kind: 'none', missing: 'Go' } as const, true, 'fail'],
  ] as const)('a suite that needs the %s, on %o, full tests required %s: %s', (need, support, required, kind) => {
    expect(planSuite(need, support, required).kind).toBe(kind)
  })
})

describe('the environment', () => {
  test('names the cache, and envtest for what envtest has', () => {
    const variables = { KUBEBUILDER_ASSETS: '/assets', XDG_CACHE_HOME: '/cache', PATH: '/opt/bin:' }
    const environment = parseClusterEnvironment(variables, '/home')
    expect(locateBinaries(environment)).toMatchObject({
      'kube-apiserver': '/assets/kube-apiserver',
      etcd: '/assets/etcd',
      kubelet: '/cache/signalbox/kubernetes/v1.36.3/kubelet',
    })
    expect(environment.fullTestsRequired).toBe(false)
    expect(environment.searchPath[0]).toBe('/opt/bin')
  })

  test('has a default for everything', () => {
    const environment = parseClusterEnvironment({ SIGNALBOX_REQUIRE_FULL_TESTS: '1' }, '/home')
    expect(environment).toMatchObject({ cacheFolder: '/home/.cache/signalbox', fullTestsRequired: true, worker: 7 })
    expect(environment.kubebuilderAssets).toBeUndefined()
  })
})

describe('the output of the kernel', () => {
  const v1 =
    '30 25 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n31 25 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu'
  const v2 = '30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n'
  const hybrid = `${v1}\n32 25 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw`

  test.each([
    ['version 1', v1, 1, ['/sys/fs/cgroup/memory/x', '/sys/fs/cgroup/cpu/x']],
    ['version 2', v2, 2, ['/sys/fs/cgroup/x']],
    ['both', hybrid, 1, ['/sys/fs/cgroup/memory/x', '/sys/fs/cgroup/cpu/x', '/sys/fs/cgroup/unified/x']],
  ])('control groups of %s', (_, mountinfo, version, folders) => {
    expect(planCgroups(parseMounts(mountinfo), 'x')).toEqual({ version, path: '/x', folders })
  })

  test('reads mount points with spaces', () => {
    expect(parseMounts(String.raw`1 0 0:1 / /a\040b\134c rw - tmpfs tmpfs rw`)).toMatchObject([
      { point: String.raw`/a b\c` },
    ])
  })

  test('reads processes with any name', () => {
    const fields = Array.from({ length: 22 }, (_, index) => `f${index}`)
    expect(parseStat(`7 (a) b) S ${fields.join(' ')}`)).toEqual({ state: 'S', startTicks: 'f18' })
    expect(parseStat('')).toBeUndefined()
  })
})

describe('the configuration of the programs', () => {
  const settings = {
    port: 1234,
    etcdUrl: 'http://127.0.0.1:1',
    certificateFolder: '/c',
    credentials: { tokenFile: '/t', signingKey: '/s', verificationKey: '/v' },
    audit: undefined,
    watchCache: false,
    extraFlags: ['--watch-cache=true'],
  }

  test('puts the flags of a test last for the API server, and writes an audit log only on request', () => {
    const flags = renderApiServerFlags(settings)
    expect(flags.at(-1)).toBe('--watch-cache=true')
    expect(flags).toContain('--watch-cache=false')
    expect(flags.join(' ')).not.toContain('audit')
    const audited = renderApiServerFlags({ ...settings, audit: { policyFile: '/p', logFile: '/l' } })
    expect(audited).toEqual(expect.arrayContaining(['--audit-policy-file=/p', '--audit-log-path=/l']))
    expect(DEFAULT_AUDIT_POLICY.rules.at(-1)).toEqual({ level: 'RequestResponse' })
  })

  test('gives the kubelet its own control groups and the overrides of a test', () => {
    const overrides = { evictionHard: { 'memory.available': '1Gi' } }
    const config = JSON.parse(
      renderKubeletConfig({ folder: '/f', port: 9, healthPort: 8, cgroupPath: '/x', overrides }),
    ) as unknown
    expect(config).toMatchObject({ cgroupRoot: '/x', port: 9, podLogsDir: '/f/pod-logs', ...overrides })
  })

  test('keeps containerd inside its folder', () => {
    const paths = [...renderContainerdConfig('/f', 'native').matchAll(/= "(\/[^"]*)"/gu)].map((match) => match[1])
    expect(paths.filter((path) => path?.startsWith('/f/containerd/') === false)).toEqual(['/usr/lib/cni'])
    expect(JSON.parse(renderCniConfig())).toMatchObject({ plugins: [{ type: 'loopback' }] })
  })

  test('passes the version that clients see to the linker', () => {
    expect(linkerFlags('v1.36.3')).toContain('-X k8s.io/component-base/version.gitMinor=36')
  })

  test('writes tokens for users and clients', () => {
    const users = [{ name: 'ann', groups: ['a', 'b'] }]
    expect(renderTokenFile(users, new Map([['ann', 'secret']]))).toBe('secret,ann,ann,"a,b"\n')
    const access = { url: 'https://127.0.0.1:1', token: 'secret', certificateAuthority: 'pem' }
    expect(JSON.parse(renderKubeconfig(access, 'ann'))).toMatchObject({
      clusters: [{ cluster: { server: 'https://127.0.0.1:1', 'certificate-authority-data': 'cGVt' } }],
      users: [{ name: 'ann', user: { token: 'secret' } }],
    })
  })

  test('keeps what a test does not override in images and pods', () => {
    expect(JSON.parse(renderImageConfig('d', ['sh']))).toMatchObject({ rootfs: { diff_ids: ['sha256:d'] } })
    const metadata = { labels: { a: 'b' } }
    const pod = busyboxPod({ name: 'p', namespace: 'n', script: 'x', memory: '1Mi', spec: { nodeName: 'm' }, metadata })
    expect(pod).toMatchObject({
      metadata: { name: 'p', namespace: 'n', labels: { a: 'b' } },
      spec: { nodeName: 'm', hostNetwork: true, containers: [{ resources: { limits: { memory: '1Mi' } } }] },
    })
  })
})

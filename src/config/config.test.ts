import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConfigOutcome, FlagEntry } from './load.ts'
import { loadConfig } from './load.ts'
import type { Config } from '#/config/config.ts'
import { settings } from '#/config/setting.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-config-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

type Given = {
  readonly file?: string
  readonly env?: Record<string, string>
  readonly flags?: readonly FlagEntry[]
  readonly named?: string
}

async function load({ file, env = {}, flags = [], named }: Given): Promise<ConfigOutcome> {
  const path = join(folder, named ?? 'signalbox.yaml')
  if (file === undefined) await rm(path, { force: true })
  else await writeFile(path, file)
  return loadConfig({ file: named, flags, workingFolder: folder }, { HOME: folder, ...env })
}

async function valid(given: Given): Promise<Config> {
  const outcome = await load(given)
  if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems))
  return outcome.config
}

async function problems(given: Given): Promise<readonly string[]> {
  const outcome = await load(given)
  return outcome.kind === 'valid' ? [] : outcome.problems.map(({ where, message }) => `${where}: ${message}`)
}

const flag = (path: string, text: string): FlagEntry => ({ path, text, flag: `--${path}` })

describe('loadConfig', () => {
  it('has defaults for everything that needs one', async () => {
    expect(await valid({})).toEqual({
      data: join(folder, '.signalbox'),
      databaseUrl: null,
      postgres: { binaries: 'bundled' },
      listen: { host: '127.0.0.1', port: 8080 },
      api: {
        server: null,
        tokenFile: null,
        tokensFile: null,
        socket: { path: join(folder, '.signalbox', 'api.sock'), isDefault: true },
        openToThisMachine: false,
      },
      client: { token: null },
      audit: { tokenFile: null },
      kubernetes: {
        source: { kind: 'nowhere' },
        namespaces: { kind: 'context' },
        podSelector: 'actions.github.com/scale-set-name',
        startWithinMs: 300_000,
        followedLogs: 500,
      },
      github: { baseUrl: 'https://api.github.com', owners: [], credential: { kind: 'none' }, webhookSecret: null },
      loki: null,
      gitlab: { baseUrl: 'https://gitlab.com', group: null, token: null },
      proxy: { https: null, http: null, exceptions: [] },
      caFile: null,
      tls: null,
      agent: { serviceAccount: null, tokenFile: null },
      guard: { stamp: false },
      dispatch: null,
      recovery: { disabled: [] },
      notify: {
        settleMs: 20_000,
        windowMs: 40_000,
        followUpMs: 300_000,
        maxAgeMs: 3_600_000,
        selection: { kinds: ['death', 'never-started'], causes: [], pools: [], minimumConfidence: 0.5 },
        github: null,
        slack: null,
        teams: null,
        webhook: null,
      },
      retention: {
        deliveriesMs: 30 * 864e5,
        finishedJobsMs: 90 * 864e5,
        deathsMs: 365 * 864e5,
        ledgerMs: 730 * 864e5,
        evidenceBytes: 2 ** 31,
      },
      log: { format: 'text', level: 'info' },
    })
  })

  it('reads the server URL and token files, relative to the configuration', async () => {
    const file =
      'api: {server: https://signalbox.ci.svc:8443, tokenFile: t, tokensFile: ts, socket: s, openToThisMachine: true}\naudit: {tokenFile: sub/a}\n'
    const { api, audit } = await valid({ file })
    expect(api).toEqual({
      server: 'https://signalbox.ci.svc:8443',
      tokenFile: join(folder, 't'),
      tokensFile: join(folder, 'ts'),
      socket: { path: join(folder, 's'), isDefault: false },
      openToThisMachine: true,
    })
    expect(audit).toEqual({ tokenFile: join(folder, 'sub/a') })
    expect(await problems({ file: 'api: {server: signalbox}\n' })).toEqual([
      'signalbox.yaml:1: api.server must be an http or https URL without credentials, or unix:/PATH',
    ])
    expect((await valid({ file: 'api: {server: "unix:/run/signalbox/api.sock"}\n' })).api.server).toBe(
      'unix:/run/signalbox/api.sock',
    )
  })

  it('reads the token that commands send, from a short variable or a file, and never prints it', async () => {
    const revealed = async (env: Record<string, string>) => (await valid({ env })).client.token?.reveal()
    expect(await revealed({ SIGNALBOX_TOKEN: 'abc' })).toBe('abc')
    await writeFile(join(folder, 'client-token'), 'def\n')
    expect(await revealed({ SIGNALBOX_TOKEN_FILE: join(folder, 'client-token') })).toBe('def')
    expect(inspect(await load({ env: { SIGNALBOX_TOKEN: 'abc-secret' } }), { depth: 9 })).not.toContain('abc-secret')
  })

  it('makes its own certificate for names, unless one is given', async () => {
    const file = 'data: d\ntls: {names: [signalbox.ci.svc, 127.0.0.1, "::1"], caConfigMap: ci/signalbox-ca}\n'
    const own = join(folder, 'd', 'tls')
    expect((await valid({ file })).tls).toMatchObject({
      certFile: join(own, 'tls.crt'),
      keyFile: join(own, 'tls.key'),
      caFile: join(own, 'ca.crt'),
      own: { folder: own, names: ['signalbox.ci.svc', '127.0.0.1', '::1'] },
      caConfigMap: 'ci/signalbox-ca',
    })
    expect(await problems({ file: 'tls: {names: [a], certFile: a.crt, keyFile: a.key}\n' })).toEqual([
      'signalbox.yaml:1: tls.names cannot be combined with tls.certFile: set one of them',
    ])
    expect(await problems({ file: 'tls: {certFile: a.crt, keyFile: a.key, caConfigMap: ci/ca}\n' })).toEqual([
      'signalbox.yaml:1: tls.caConfigMap requires tls.names or tls.caFile',
    ])
    expect(await problems({ file: 'tls: {names: ["a b"]}\n' })).toMatchObject([
      expect.stringContaining('must be a DNS name or an IP address') as string,
    ])
  })

  it('requires a key with a certificate, and a namespace with the service account', async () => {
    const pair = { certFile: join(folder, 'a.crt'), keyFile: join(folder, 'a.key') }
    const rest = { caFile: null, own: null, caConfigMap: null }
    expect((await valid({ file: 'tls: {certFile: a.crt, keyFile: a.key}\n' })).tls).toEqual({ ...pair, ...rest })
    expect(await problems({ file: 'tls: {certFile: a.crt}\n' })).toEqual([
      'signalbox.yaml:1: tls.certFile requires tls.keyFile',
    ])
    expect(await problems({ file: 'tls: {keyFile: a.key}\n' })).toEqual([
      'signalbox.yaml:1: tls.keyFile requires tls.certFile',
    ])
    const env = { SIGNALBOX_AGENT_SERVICE_ACCOUNT: 'signalbox/agent' }
    expect((await valid({ env })).agent.serviceAccount).toBe('signalbox/agent')
    expect(await problems({ env: { SIGNALBOX_AGENT_SERVICE_ACCOUNT: 'agent' } })).toEqual([
      'SIGNALBOX_AGENT_SERVICE_ACCOUNT: agent.serviceAccount must be NAMESPACE/NAME',
    ])
  })

  it('prefers flags to variables, variables to the file, and the file to the defaults', async () => {
    const file = 'listen: 127.0.0.1:1\n'
    const env = { SIGNALBOX_LISTEN: '127.0.0.1:2' }
    const flags = [flag('listen', '127.0.0.1:3')]
    expect((await valid({ file })).listen.port).toBe(1)
    expect((await valid({ file, env })).listen.port).toBe(2)
    expect((await valid({ file, env, flags })).listen.port).toBe(3)
  })

  it('finds the file by flag, variable or name', async () => {
    await writeFile(join(folder, 'other.yaml'), 'log: {level: debug}\n')
    expect((await valid({ env: { SIGNALBOX_CONFIG: 'other.yaml' } })).log.level).toBe('debug')
    expect(
      (await valid({ named: 'third.yaml', file: 'log: {level: warn}\n', env: { SIGNALBOX_CONFIG: 'other.yaml' } })).log
        .level,
    ).toBe('warn')
    expect(await problems({ env: { SIGNALBOX_CONFIG: 'absent.yaml' } })).toEqual(['absent.yaml: no such file'])
  })

  it('resolves relative paths of a file from its folder, and those of variables from the working folder', async () => {
    await mkdir(join(folder, 'sub'))
    expect((await valid({ named: 'sub/x.yaml', file: 'data: here\n' })).data).toBe(join(folder, 'sub/here'))
    expect((await valid({ env: { SIGNALBOX_DATA: 'here' } })).data).toBe(join(folder, 'here'))
    const several = await valid({ env: { KUBECONFIG: 'a:/b' } })
    expect(several.kubernetes.source).toEqual({ kind: 'files', paths: [join(folder, 'a'), '/b'] })
  })

  it('finds the cluster as kubectl does', async () => {
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1' }
    expect((await valid({ env })).kubernetes.source).toEqual({ kind: 'in-cluster' })
    const home = join(folder, 'home')
    await mkdir(join(home, '.kube'), { recursive: true })
    await writeFile(join(home, '.kube', 'config'), '')
    const paths = [join(home, '.kube', 'config')]
    expect((await valid({ env: { ...env, HOME: home } })).kubernetes.source).toEqual({ kind: 'files', paths })
    const flags = [flag('kubernetes.context', 'blue')]
    expect((await valid({ env: { HOME: home }, flags })).kubernetes.source).toEqual({
      kind: 'files',
      paths,
      context: 'blue',
    })
  })

  it('reads namespaces as the context, all, or names', async () => {
    expect((await valid({ env: { SIGNALBOX_KUBERNETES_NAMESPACES: 'b a b' } })).kubernetes.namespaces).toEqual({
      kind: 'named',
      names: ['b', 'a'],
    })
    expect((await valid({ file: 'kubernetes: {namespaces: ["*"]}\n' })).kubernetes.namespaces).toEqual({ kind: 'all' })
  })

  it('names the place of every mistake', async () => {
    const file = 'listen: nowhere\nretention:\n  ledger: 30\n  evidence: much\nlog:\n  level: loud\n'
    const env = { SIGNALBOX_GITHUB_BASE_URL: 'ftp://x', SIGNALBOX_GITHUB_APP_ID: 'x' }
    const flags = [flag('databaseUrl', 'mysql://x')]
    expect((await problems({ file, env, flags })).toSorted()).toEqual([
      '--databaseUrl: databaseUrl must be a URL like postgres://host:5432/name',
      'SIGNALBOX_GITHUB_APP_ID: github.app.id must be a whole number',
      'SIGNALBOX_GITHUB_APP_ID: github.app.id requires github.app.privateKey or github.app.privateKeyFile',
      'SIGNALBOX_GITHUB_BASE_URL: github.baseUrl must be an http or https URL without credentials',
      'signalbox.yaml:1: listen must be HOST:PORT, for example 127.0.0.1:8080 or [::1]:8080',
      'signalbox.yaml:3: retention.ledger is invalid: expected string, received number',
      'signalbox.yaml:4: retention.evidence must be a number of bytes or with a unit, for example 500MB, 512Mi or 2GiB',
      'signalbox.yaml:6: log.level is invalid: expected one of "debug"|"info"|"warn"|"error"',
    ])
  })

  it.each<[string, string]>([
    [
      'github: {token: a, app: {id: 1, privateKey: k}}\n',
      'signalbox.yaml:1: github.token cannot be combined with github.app: set one of them',
    ],
    ['github: {app: {privateKey: k}}\n', 'signalbox.yaml:1: github.app.privateKey requires github.app.id'],
    ['dispatch: {enabled: true}\ngithub: {token: t}\n', 'signalbox.yaml:1: dispatch.enabled requires dispatch.url'],
    [
      'dispatch: {enabled: true, url: "https://signalbox.example"}\n',
      'signalbox.yaml:1: dispatch.enabled requires github.app or github.token',
    ],
    [
      'github: {token: a, tokenFile: b}\n',
      'signalbox.yaml:1: github.token cannot be combined with github.tokenFile: set one of them',
    ],
    ['retention: {ledger: 0s}\n', 'signalbox.yaml:1: retention.ledger must be greater than 0'],
    ['proxy: {https: "socks5://x"}\n', 'signalbox.yaml:1: proxy.https must be an http or https URL'],
  ])('%j is refused', async (file, problem) => {
    expect(await problems({ file })).toContain(problem)
  })
})

describe('secrets', () => {
  it('can come from files, without the last line break', async () => {
    await writeFile(join(folder, 'token'), 'ghp_x\n')
    const { github } = await valid({ file: 'github: {tokenFile: token}\n' })
    expect(github.credential.kind === 'token' && github.credential.token.reveal()).toBe('ghp_x')
  })

  it('are overridden by a stronger source in either form', async () => {
    await writeFile(join(folder, 'token'), 'from-file\n')
    const byValue = await valid({ file: 'github: {tokenFile: token}\n', env: { SIGNALBOX_GITHUB_TOKEN: 'from-env' } })
    expect(byValue.github.credential.kind === 'token' && byValue.github.credential.token.reveal()).toBe('from-env')
    const byFile = await valid({
      file: 'github: {token: x}\n',
      env: { SIGNALBOX_GITHUB_TOKEN_FILE: join(folder, 'token') },
    })
    expect(byFile.github.credential.kind === 'token' && byFile.github.credential.token.reveal()).toBe('from-file')
  })

  it('say which file is missing', async () => {
    const [problem] = await problems({ file: 'github: {webhookSecretFile: nothing}\n' })
    expect(problem).toMatch(/^signalbox\.yaml:1: github\.webhookSecretFile: \S+nothing cannot be read \(ENOENT\)$/)
  })

  it('are never printed', async () => {
    const env = {
      SIGNALBOX_GITHUB_APP_PRIVATE_KEY: 'hunter2',
      SIGNALBOX_GITHUB_APP_ID: '1',
      SIGNALBOX_GITHUB_WEBHOOK_SECRET: 'hunter2',
      DATABASE_URL: 'postgres://me:hunter2@db/x?sslpassword=hunter2',
      HTTPS_PROXY: 'http://me:hunter2@proxy:3128',
    }
    const outcome = await load({ env })
    expect(outcome.kind).toBe('valid')
    for (const text of [JSON.stringify(outcome), inspect(outcome, { depth: null, showHidden: true })])
      expect(text).not.toContain('hunter2')
    const values = outcome.kind === 'valid' ? outcome.values : []
    expect(values.find(({ path }) => path === 'databaseUrl')?.value).toBe('postgres://me:***@db/x?sslpassword=***')
  })

  it('each have a setting for a file, except proxy URLs', () => {
    const whole = settings.filter(({ about, path }) => about.secret !== undefined && !path.startsWith('proxy.'))
    for (const { path } of whole) expect(settings.map((setting) => setting.path)).toContain(`${path}File`)
  })
})

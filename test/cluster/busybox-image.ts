import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findExecutable, runOrThrow } from './command.ts'
import { readClusterEnvironment } from './environment.ts'

/** On the node from the start; there is no registry of that name, so nothing is ever pulled. */
export const BUSYBOX_IMAGE = 'signalbox.test/busybox:1'
export const PAUSE_IMAGE = 'signalbox.test/pause:1'

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Makes both images from the machine's static busybox, as one archive in Docker's format; returns its path. */
export async function makeImageArchive(folder: string): Promise<string> {
  const busybox = findExecutable('busybox', readClusterEnvironment().searchPath)
  if (busybox === undefined) throw new Error('no busybox: apt-get install -y busybox-static')
  const content = join(folder, 'content')
  await makeRootFileSystem(join(folder, 'root'), busybox)
  await mkdir(content, { recursive: true })
  await runOrThrow('tar', ['-C', join(folder, 'root'), '--numeric-owner', '-cf', join(content, 'layer.tar'), '.'])
  const layerDigest = createHash('sha256')
    .update(await readFile(join(content, 'layer.tar')))
    .digest('hex')
  await writeFile(join(content, 'busybox.json'), renderImageConfig(layerDigest, ['sh']))
  // The container that holds a pod's namespaces only has to keep running.
  await writeFile(join(content, 'pause.json'), renderImageConfig(layerDigest, ['sleep', '2147483647']))
  const images = [
    { Config: 'busybox.json', RepoTags: [BUSYBOX_IMAGE], Layers: ['layer.tar'] },
    { Config: 'pause.json', RepoTags: [PAUSE_IMAGE], Layers: ['layer.tar'] },
  ]
  await writeFile(join(content, 'manifest.json'), JSON.stringify(images))
  const archive = join(folder, 'images.tar')
  await runOrThrow('tar', ['-C', content, '-cf', archive, 'manifest.json', 'busybox.json', 'pause.json', 'layer.tar'])
  return archive
}

export function renderImageConfig(layerDigest: string, command: readonly string[]): string {
  return JSON.stringify({
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    os: 'linux',
    config: { Env: ['PATH=/bin'], Cmd: command },
    rootfs: { type: 'layers', diff_ids: [`sha256:${layerDigest}`] },
  })
}

async function makeRootFileSystem(root: string, busybox: string): Promise<void> {
  await Promise.all(['bin', 'etc', 'tmp'].map((name) => mkdir(join(root, name), { recursive: true })))
  await copyFile(busybox, join(root, 'bin', 'busybox'))
  const applets = (await runOrThrow(busybox, ['--list']))
    .split('\n')
    .filter((name) => name !== '' && name !== 'busybox')
  await Promise.all(applets.map((name) => symlink('busybox', join(root, 'bin', name))))
  await writeFile(join(root, 'etc', 'passwd'), 'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n')
}

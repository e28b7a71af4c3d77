import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { findExecutable, progress, runOrThrow } from '#test/cluster/command.ts'
import { readClusterEnvironment } from '#test/cluster/environment.ts'
import { buildah } from './buildah.ts'

const ROOT = resolve(import.meta.dirname, '..', '..')
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt'

/**
 * What the Dockerfile begins with, under the same name: Debian's packages and Node from npm. No registry of images is
 * needed for it.
 */
export async function provideBaseImage(folder: string): Promise<void> {
  const name = await baseName()
  const known = await buildah(folder, ['images', '--format', '{{.Name}}:{{.Tag}}'])
  if (known.split('\n').some((line) => line.endsWith(`/${name}`))) return
  progress(`making ${name} from Debian and npm (about a minute, once) ...`)
  const scratch = await mkdtemp(join(folder, 'base-'))
  try {
    const system = join(scratch, 'debian.tar')
    await runOrThrow('mmdebstrap', [
      '--quiet',
      '--mode=root',
      '--variant=minbase',
      '--include=ca-certificates',
      readSuite(name),
      system,
      `deb ${await debianMirror()} ${readSuite(name)} main`,
    ])
    await commit(folder, system, name)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** As in the Dockerfile, for example `node:24-trixie-slim`. */
async function baseName(): Promise<string> {
  const dockerfile = await readFile(join(ROOT, 'deploy', 'image', 'Dockerfile'), 'utf8')
  const names = new Set([...dockerfile.matchAll(/^FROM (\S+)/gmu)].map((found) => found[1] ?? ''))
  const [name] = names
  if (name === undefined || names.size > 1) throw new Error(`one base is expected: ${[...names].join(', ')}`)
  return name
}

/** The one that this machine uses. */
async function debianMirror(): Promise<string> {
  const asked = ['indextargets', '--no-release-info', '--format', '$(SITE)', 'Created-By: Packages']
  const site = (await runOrThrow('apt-get', asked)).split('\n').find((line) => line.endsWith('/debian'))
  if (site === undefined) throw new Error('no Debian mirror in the apt sources')
  return site
}

function readSuite(name: string): string {
  const suite = /^node:24-(\w+)-slim$/u.exec(name)?.[1]
  if (suite === undefined) throw new Error(`${name} is not Node 24 on Debian`)
  return suite
}

/** Where this machine's npm is installed. `npm root --global` names a folder beside the node that runs it, which may be ours. */
async function npmFolder(): Promise<string> {
  const program = findExecutable('npm', readClusterEnvironment().searchPath)
  if (program === undefined) throw new Error('npm is not on the PATH')
  return resolve(await realpath(program), '..', '..')
}

async function commit(folder: string, system: string, name: string): Promise<void> {
  const npm = await npmFolder()
  const node = join(ROOT, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node')
  const container = await buildah(folder, ['from', 'scratch'])
  try {
    await buildah(folder, ['add', '--quiet', container, system, '/'])
    await buildah(folder, ['copy', '--quiet', container, node, '/usr/local/bin/node'])
    await buildah(folder, ['copy', '--quiet', container, npm, '/usr/local/lib/node_modules/npm'])
    // A machine behind a TLS proxy trusts it through this file.
    await buildah(folder, ['copy', '--quiet', container, AUTHORITIES, AUTHORITIES])
    const link = ['ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm']
    await buildah(folder, ['run', '--isolation=chroot', container, ...link])
    const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    await buildah(folder, ['config', '--env', path, '--env', `NODE_EXTRA_CA_CERTS=${AUTHORITIES}`, container])
    await buildah(folder, ['commit', '--quiet', container, name])
  } finally {
    await buildah(folder, ['rm', container])
  }
}

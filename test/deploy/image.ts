import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { findExecutable, progress } from '#test/cluster/command.ts'
import { readClusterEnvironment } from '#test/cluster/environment.ts'
import { withFileLock } from '#test/cluster/file-lock.ts'
import { sourceFiles } from '#test/tidy/source-files.ts'
import { provideBaseImage } from './base-image.ts'
import { buildah, forgetGrownStore } from './buildah.ts'

/** There is no registry of that name, so it is never pulled. */
export const IMAGE = { repository: 'signalbox.test/signalbox', tag: '1' } as const

const ROOT = resolve(import.meta.dirname, '..', '..')
/** The files that .dockerignore includes, and those that define the build. */
const OF_THE_IMAGE =
  /^(?!.*\.test\.ts$)(?:(?:bin|deploy\/npm|deploy\/image|deploy\/runner|migrations|recordings|schemas|src)\/|(?:\.npmrc|\.dockerignore|CHANGELOG\.md|LICENSE|README\.md|package(?:-lock)?\.json|tsconfig\.json|test\/deploy\/(?:base-)?image\.ts)$)/
const KEPT_MS = 60 * 60_000

/** Each is in the Debian package of its name. */
const TOOLS = ['buildah', 'mmdebstrap']

/** One line about what is missing to build it, or null. */
export function missingForImage(): string | null {
  const { searchPath } = readClusterEnvironment()
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'run on Linux as root, to build the image'
  const missing = TOOLS.filter((tool) => findExecutable(tool, searchPath) === undefined)
  return missing.length === 0 ? null : `apt-get install -y ${missing.join(' ')}, to build the image`
}

/** The image as `deploy/image/Dockerfile` says, on a base made of Debian and npm; returns an archive in Docker's format. */
export async function provideImage(): Promise<string> {
  const folder = join(readClusterEnvironment().cacheFolder, 'image')
  const archive = join(folder, `signalbox-${digestOfSources()}.tar`)
  const lock = { lockFile: join(folder, 'lock'), onWait: () => progress('another process is building the image') }
  await withFileLock(lock, async () => {
    if (await readdir(folder).then((names) => names.some((name) => join(folder, name) === archive))) return
    const startedMs = performance.now()
    await forgetGrownStore(folder)
    await provideBaseImage(folder)
    await build(folder, archive)
    progress(`built the image in ${Math.round((performance.now() - startedMs) / 1000)} s`)
  })
  return archive
}

function digestOfSources(): string {
  const hash = createHash('sha256')
  for (const { path, text } of sourceFiles(OF_THE_IMAGE)) hash.update(`${path}\0${text}\0`)
  return hash.digest('hex').slice(0, 16)
}

async function build(folder: string, archive: string): Promise<void> {
  progress('building the image by deploy/image/Dockerfile ...')
  const name = `${IMAGE.repository}:${IMAGE.tag}`
  await buildah(folder, [
    'build',
    '--isolation=chroot',
    '--pull-never',
    '--layers',
    '--format=docker',
    `--file=${join(ROOT, 'deploy', 'image', 'Dockerfile')}`,
    `--tag=${name}`,
    ROOT,
  ])
  const scratch = await mkdtemp(join(folder, 'pushing-'))
  try {
    await buildah(folder, ['push', name, `docker-archive:${join(scratch, 'image.tar')}:${name}`])
    await forgetOldArchives(folder)
    await rename(join(scratch, 'image.tar'), archive)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Another checkout may be using one that it has just made. */
async function forgetOldArchives(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.tar'))
  for (const path of names.map((name) => join(folder, name))) {
    if (Date.now() - (await stat(path)).mtimeMs > KEPT_MS) await rm(path, { force: true })
  }
}

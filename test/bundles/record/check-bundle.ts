import { readFile, rm } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { repository } from '#test/cli/run-signalbox.ts'
import type { OutsideNames } from './neutral-machine.ts'

const MOST_BYTES = 300 * 1024

/** Removes a bundle that carries the name or a path of the machine, or more than the repository should hold, and throws. */
export async function checkBundle(archive: string, outside: OutsideNames): Promise<void> {
  const packed = await readFile(archive)
  const faults = [
    ...namesIn(gunzipSync(packed).toString('latin1'), outside),
    ...(packed.length > MOST_BYTES ? [`it has ${packed.length} bytes`] : []),
  ]
  if (faults.length === 0) return
  await rm(archive)
  throw new Error(`the bundle was not kept: ${faults.join('; ')}`)
}

function namesIn(text: string, { hostname, home, cacheFolder }: OutsideNames): readonly string[] {
  const folders = [repository, home, cacheFolder, '/tmp/signalbox'].map((folder) => findPlace(text, folder))
  // A host name of two letters is part of many words, so it is searched for as a quoted value.
  const hosts = [`"${hostname}"`, `${hostname}.local`].map((name) => text.indexOf(name))
  // The kernel ring buffer is read when the journal starts, and describes the machine.
  const boot = ['Kernel command line', 'BIOS-provided physical RAM map'].map((line) => text.indexOf(line))
  const places = [...folders, ...hosts, ...boot].filter((at) => at >= 0)
  return places.map((at) => `it contains ${JSON.stringify(text.slice(Math.max(0, at - AROUND), at + AROUND))}`)
}

const AROUND = 60

/** Not as the end of a longer path: a container runtime also has a folder `root`. */
function findPlace(text: string, folder: string): number {
  for (let at = text.indexOf(folder); at >= 0; at = text.indexOf(folder, at + 1)) {
    const [before = '', after = ''] = [text[at - 1], text[at + folder.length]]
    if (!/[\w./-]/.test(before) && !/[\w-]/.test(after)) return at
  }
  return -1
}

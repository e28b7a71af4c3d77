import { chmod, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A folder that was not there gets exactly this mode, whatever the umask says; one that was there is left as it is. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  if (await makeWithParents(path, mode)) await chmod(path, mode)
}

/** Not by the option `recursive`: Node tries without end below a folder that takes none, as /proc. False if it was there. */
async function makeWithParents(path: string, mode: number): Promise<boolean> {
  try {
    return await makeOne(path, mode)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    await makeWithParents(dirname(path), mode)
    return await makeOne(path, mode)
  }
}

async function makeOne(path: string, mode: number): Promise<boolean> {
  try {
    await mkdir(path, { mode })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && (await stat(path)).isDirectory()) return false
    throw error
  }
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

import { chmod, mkdir } from 'node:fs/promises'

/** A folder that was not there gets exactly this mode, whatever the umask says; one that was there is left as it is. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  const created = await mkdir(path, { recursive: true, mode })
  if (created !== undefined) await chmod(path, mode)
}

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder that any user may enter, as with `mkdir`. Removed with the test. */
export async function openFolder(): Promise<string> {
  const folder = await privateFolder()
  await chmod(folder, 0o711)
  return folder
}

/** A folder that no other user may enter, as with `mktemp -d`. Removed with the test. */
export async function privateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-test-folder-'))
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }))
  return folder
}

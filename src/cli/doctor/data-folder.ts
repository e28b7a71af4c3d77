import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Check } from '#/cli/doctor/check.ts'
import { fail, ok, skip, warn } from '#/cli/doctor/check.ts'
import { formatBytes } from '#/core/basics/bytes.ts'

/** A fresh database takes 40 MiB; what grows is bounded by `retention.evidence`. */
const LITTLE_BYTES = 2 ** 30

export const dataFolder: Check = {
  id: 'data-folder',
  title: 'Data folder',
  check: async ({ config }) => {
    if (config.databaseUrl !== null) return skip('not used: a database server is configured')
    const cost = 'The embedded database has no folder, so serve cannot start.'
    const place = await nearestFolder(config.data)
    if (place === null) {
      return fail(`${config.data} is not a folder`, {
        cost,
        fix: 'Use another folder with --data, or set DATABASE_URL.',
      })
    }
    if (!(await mayWrite(place))) {
      return fail(`${place} is not writable by this user`, {
        cost,
        fix: 'Use a folder that you can write with --data, or set DATABASE_URL.',
      })
    }
    const { bavail, bsize } = await statfs(place)
    const free = `${config.data}, ${formatBytes(bavail * bsize)} free`
    if (bavail * bsize >= LITTLE_BYTES) return ok(free)
    return warn(free, {
      cost: 'The database stops when the disk is full.',
      fix: 'Free space, use a folder on another disk with --data, or lower retention.evidence.',
    })
  },
}

/** The folder, or its nearest existing parent; null when a file is in the way. */
async function nearestFolder(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null)
  if (found !== null) return found.isDirectory() ? path : null
  return dirname(path) === path ? null : nearestFolder(dirname(path))
}

function mayWrite(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
}

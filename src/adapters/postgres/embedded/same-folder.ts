import { stat } from 'node:fs/promises'

/**
 * Whether two paths lead to one folder. A name proves nothing: a folder is moved, copied, linked and mounted elsewhere.
 * Null when one of them cannot be read.
 */
export async function sameFolder(one: string, other: string): Promise<boolean | null> {
  try {
    const [a, b] = await Promise.all([stat(one, { bigint: true }), stat(other, { bigint: true })])
    return a.dev === b.dev && a.ino === b.ino
  } catch {
    return null
  }
}

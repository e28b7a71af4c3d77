import { spawn } from 'node:child_process'
import { platform } from 'node:process'
import { hasDisplay } from '#/config/load.ts'

/** False where nobody would see it. The address is printed in any case, so a browser that fails costs nothing. */
export function openBrowser(url: string): boolean {
  const isMac = platform === 'darwin'
  if (!hasDisplay(isMac)) return false
  const child = spawn(isMac ? 'open' : 'xdg-open', [url], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
  return true
}

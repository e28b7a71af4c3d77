import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

/** Lists which files of the library were loaded by the imports before it. */
const PROGRAM = `
import { registerHooks } from 'node:module'
const loaded = []
registerHooks({
  load: (url, context, next) => {
    if (url.includes('@kubernetes/client-node')) loaded.push(url)
    return next(url, context)
  },
})
await import('#/adapters/kubernetes/connect.ts')
await import('#/adapters/kubernetes/kubeconfig-credentials.ts')
const { loadKubeconfig } = await import('#/adapters/kubernetes/load-kubeconfig.ts')
const before = loaded.length
await loadKubeconfig({ kind: 'files', paths: [] })
console.log(before, loaded.length > 0)
`

describe('the library for kubeconfigs', () => {
  it('is loaded by who connects, not by who imports the adapter', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM])
    expect(stdout.trim()).toBe('0 true')
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ownPackage } from '#/adapters/files/own-package.ts'
import { readPodScripts } from './read-pod-scripts.ts'

describe('readPodScripts', () => {
  it('reads what the published package carries too', () => {
    const { folder } = ownPackage()
    const scripts = readPodScripts(folder)
    for (const script of Object.values(scripts)) expect(script).toMatch(/^#!\/bin\/sh\n/)
    const { files } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { files: string[] }
    expect(files).toContain('deploy/runner')
  })

  it('is small enough for the environment of a process', () => {
    for (const script of Object.values(readPodScripts(ownPackage().folder))) {
      expect(script.length).toBeLessThan(64 * 1024)
    }
  })
})

import { describe, expect, it } from 'vitest'
import { plain } from '#/cli/output/style.ts'
import { replayBanner } from './replay-banner.ts'

describe('the banner of a replay', () => {
  it('names commands that work on this machine, wherever the server listens', () => {
    const played = { seed: 1, paceMs: 11_000, recordings: 19, living: 24, ignored: [] }
    const banner = { version: '1', url: 'http://0.0.0.0:8081', command: 'signalbox', ...played }
    const lines = replayBanner(banner, plain)
    expect(lines).toContain('  listening  http://0.0.0.0:8081')
    expect(lines).toContain('  signalbox deaths --server http://127.0.0.1:8081')
  })
})

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ownCommand } from './own-package.ts'

describe('how a person starts this program again', () => {
  it.each([
    ['/src/signalbox', '/src/signalbox', join('bin', 'signalbox')],
    ['/src/signalbox', '/elsewhere', '/src/signalbox/bin/signalbox'],
    ['/src/signalbox', '/src/signalbox/bin', '/src/signalbox/bin/signalbox'],
    ['/app/node_modules/signalbox', '/app', 'npx signalbox'],
    ['/usr/lib/node_modules/signalbox', '/app', 'npx signalbox'],
  ])('in %s, from %s: %s', (folder, workingFolder, expected) => {
    expect(ownCommand(folder, workingFolder)).toBe(expected)
  })
})

import { describe, expect, it } from 'vitest'
import { DEFAULT_THRESHOLDS } from '#/core/fleet-file/thresholds.ts'
import type { FileSystem } from './file-systems.ts'
import { readDiskLimits, readFileSystems, isSingle, nearEvictions, usedShare } from './file-systems.ts'

const system = (name: FileSystem['name'], own: Partial<FileSystem> = {}): FileSystem => ({
  name,
  capacity: 1000,
  available: 500,
  inodes: 1000,
  inodesFree: 500,
  ...own,
})

const signals = (systems: readonly FileSystem[], configz: object | null = null): readonly string[] => {
  const limits = readDiskLimits(configz === null ? null : { kubeletconfig: configz }, DEFAULT_THRESHOLDS)
  return nearEvictions(systems, limits, DEFAULT_THRESHOLDS.evictionMargin).map(({ signal }) => signal)
}

describe('an eviction is near', () => {
  it.each<readonly [string, readonly string[], FileSystem, object | null]>([
    ['two points above ten per cent of the node', ['nodefs.available'], system('nodefs', { available: 120 }), null],
    ['not above that', [], system('nodefs', { available: 121 }), null],
    [
      'two points above fifteen per cent of the images',
      ['imagefs.available'],
      system('imagefs', { available: 170 }),
      null,
    ],
    ['not above that either', [], system('imagefs', { available: 171 }), null],
    ['two points above five per cent of the inodes', ['nodefs.inodesFree'], system('nodefs', { inodesFree: 70 }), null],
    ['of the inodes of the images too', ['imagefs.inodesFree'], system('imagefs', { inodesFree: 70 }), null],
    ['not if inodes are unknown', [], system('nodefs', { inodes: null, inodesFree: 1 }), null],
    ['already below the threshold', ['nodefs.available'], system('nodefs', { available: 0 }), null],
    [
      "by the kubelet's own share",
      ['nodefs.available'],
      system('nodefs', { available: 220 }),
      { evictionHard: { 'nodefs.available': '20%' } },
    ],
    [
      'not where its own share is lower',
      [],
      system('nodefs', { available: 110 }),
      { evictionHard: { 'nodefs.available': '5%' } },
    ],
    [
      'by its own amount',
      ['nodefs.available'],
      system('nodefs', { available: 320 }),
      { evictionHard: { 'nodefs.available': '300' } },
    ],
    [
      'not by a signal that it does not watch',
      [],
      system('imagefs', { available: 1 }),
      { evictionHard: { 'nodefs.available': '10%' } },
    ],
    [
      'by a default that is set explicitly',
      ['imagefs.available'],
      system('imagefs', { available: 1 }),
      { evictionHard: { 'nodefs.available': '10%' }, mergeDefaultEvictionSettings: true },
    ],
    [
      'not by a threshold of nothing',
      [],
      system('nodefs', { available: 1 }),
      { evictionHard: { 'nodefs.available': '0%' } },
    ],
    [
      'by a soft threshold that comes first',
      ['nodefs.available'],
      system('nodefs', { available: 170 }),
      { evictionHard: { 'nodefs.available': '10%' }, evictionSoft: { 'nodefs.available': '15%' } },
    ],
    [
      'by the hard one where it comes first',
      ['nodefs.available'],
      system('nodefs', { available: 170 }),
      { evictionHard: { 'nodefs.available': '15%' }, evictionSoft: { 'nodefs.available': '5%' } },
    ],
    [
      'by the larger of two amounts',
      ['nodefs.available'],
      system('nodefs', { available: 320 }),
      { evictionHard: { 'nodefs.available': '100' }, evictionSoft: { 'nodefs.available': '300' } },
    ],
    [
      'not by words that are no threshold',
      [],
      system('nodefs', { available: 1 }),
      { evictionHard: { 'nodefs.available': 'soon' } },
    ],
  ])('%s', (_title, expected, own, configz) => {
    expect(signals([own], configz)).toEqual(expected)
  })
})

describe('images are collected', () => {
  it.each<readonly [number, object | null]>([
    [0.85, null],
    [0.85, {}],
    [0.7, { imageGCHighThresholdPercent: 70 }],
    [Infinity, { imageGCHighThresholdPercent: 100 }],
  ])('above %d, with %o', (share, config) => {
    expect(readDiskLimits({ kubeletconfig: config }, DEFAULT_THRESHOLDS).imageGc).toBe(share)
  })

  it('by what is not available, as the kubelet counts', () => {
    expect(usedShare(system('imagefs', { available: 150 }))).toBeCloseTo(0.85)
  })
})

describe('two names are one file system', () => {
  it.each<readonly [string, boolean, Partial<FileSystem>]>([
    ['where all is the same', true, {}],
    ['where they were measured some seconds apart', true, { available: 505 }],
    ['not if the free space differs', false, { available: 506 }],
    ['not if the size differs', false, { capacity: 1001 }],
    ['not if the inodes differ', false, { inodes: 999 }],
  ])('%s', (_title, isOne, own) => {
    expect(isSingle([system('nodefs'), system('imagefs', own)])).toBe(isOne)
  })

  it('not if there is only one', () => {
    expect(isSingle([system('nodefs')])).toBe(false)
  })
})

describe('a summary', () => {
  it('is read as far as it has sizes', () => {
    const fs = { capacityBytes: 10, availableBytes: 4 }
    expect(readFileSystems({ node: { fs, runtime: { imageFs: fs } } }).map(({ name }) => name)).toEqual([
      'nodefs',
      'imagefs',
    ])
    expect(
      readFileSystems({ node: { fs, runtime: { imageFs: { capacityBytes: 0, availableBytes: 0 } } } }),
    ).toHaveLength(1)
    expect(readFileSystems({ node: { fs: { capacityBytes: '10' } } })).toEqual([])
  })
})

import { gzipSync } from 'node:zlib'
import { seedChance } from '#test/bundles/mutate-chance.ts'
import type { Chance } from '#test/bundles/mutate-chance.ts'
import type { Files } from '#test/bundles/mutate-files.ts'

const BLOCK = 512

/** An entry of a hostile archive: nothing in it is checked. */
type Entry = {
  readonly name: string
  readonly body?: Uint8Array
  readonly letter?: string
  /** The size in the header, if it is false. */
  readonly size?: string
  readonly checksum?: string
}

function tarEntry({ name, body = new Uint8Array(), letter = '0', size, checksum }: Entry): Uint8Array {
  const block = Buffer.alloc(BLOCK)
  block.write(name, 0, 100, 'utf8')
  block.write('0000644\0', 100)
  block.write(size ?? body.length.toString(8).padStart(11, '0'), 124, 12, 'latin1')
  block.write('00000000000', 136)
  block.write(letter, 156)
  block.write('ustar\x0000', 257)
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(checksum ?? `${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([block, body, new Uint8Array((BLOCK - (body.length % BLOCK)) % BLOCK)])
}

const END = new Uint8Array(2 * BLOCK)

function listEntries(files: Files): readonly Entry[] {
  return [...files].map(([name, body]): Entry => ({ name, body }))
}

export function packArchive(files: Files): Uint8Array {
  return pack(listEntries(files))
}

function pack(entries: readonly Entry[]): Uint8Array {
  return gzipSync(Buffer.concat([...entries.map(tarEntry), END]), { level: 1 })
}

/** A size and a path that the entry after it takes. */
function pax(text: string): Entry {
  return { name: 'pax', letter: 'x', body: Buffer.from(text) }
}

function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const bytes = Buffer.byteLength(rest)
  const length = bytes + String(bytes + String(bytes).length).length
  return `${length}${rest}`
}

/** Entries that no bundle may have: whatever else is in it, it is refused. */
const FORBIDDEN: readonly (readonly [string, readonly Entry[]])[] = [
  ['a path that leaves it', [{ name: '../../etc/cron.d/x', body: Buffer.from('x') }]],
  ['a path that leaves it in the middle', [{ name: 'logs/../../x' }]],
  ['an absolute path', [{ name: '/etc/passwd', body: Buffer.from('x') }]],
  ['a drive', [{ name: 'C:/x' }]],
  ['a backslash', [{ name: '..\\..\\x' }]],
  ['a control character', [{ name: 'logs/\u001b[2J.log' }]],
  ['a symbolic link', [{ name: 'logs/x.log', letter: '2' }]],
  ['a hard link', [{ name: 'logs/x.log', letter: '1' }]],
  ['a device', [{ name: 'logs/x.log', letter: '3' }]],
  ['a pipe', [{ name: 'logs/x.log', letter: '6' }]],
  ['a sparse file', [{ name: 'logs/x.log', letter: 'S' }]],
  ['an unknown kind', [{ name: 'logs/x.log', letter: '!' }]],
  ['two files of one name', [{ name: 'meta.json', body: Buffer.from('{}') }]],
  ['two files of one name, one with a dot', [{ name: './meta.json', body: Buffer.from('{}') }]],
  ['an empty name', [{ name: '' }]],
  ['a wrong checksum', [{ name: 'x', checksum: '000000\0 ' }]],
  ['a size of no digits', [{ name: 'x', size: 'zzzzzzzzzzz' }]],
  ['a size below zero', [{ name: 'x', size: '-0000000001' }]],
  ['a size in binary', [{ name: 'x', size: '\u0080\0\0\0\0\0\0\0\0\0\0\u0001' }]],
  ['a size beyond its end', [{ name: 'x', size: '77777777777' }]],
  ['a long name that leaves it', [{ name: 'l', letter: 'L', body: Buffer.from('../x\0') }, { name: 'x' }]],
  ['a pax path that leaves it', [pax(record('path', '../../x')), { name: 'x' }]],
  ['a pax size beyond its end', [pax(record('size', '99999999999999')), { name: 'x' }]],
  ['a pax size of no digits', [pax(record('size', '-5')), { name: 'x' }]],
  ['a pax record of length zero', [pax('0 path=x\n'), { name: 'x' }]],
  ['a pax record that is longer than it is', [pax('999 path=x\n'), { name: 'x' }]],
  ['a sparse file of pax', [pax(record('GNU.sparse.major', '1')), { name: 'x' }]],
  ['a pax header of a megabyte', [{ name: 'pax', letter: 'x', body: Buffer.alloc(1 << 20, '1') }]],
  ['a name of two thousand characters', [pax(record('path', 'x'.repeat(2000))), { name: 'x' }]],
]

type Wrapping = (chance: Chance, packed: Uint8Array) => readonly [fields: string, bytes: Uint8Array]

/** Damage to a whole archive, in transit or on purpose. */
const WRAPPINGS: readonly Wrapping[] = [
  (chance, packed) => {
    const at = chance.int(packed.length)
    return [`cut at ${at} of ${packed.length}`, packed.subarray(0, at)]
  },
  (chance, packed) => {
    const at = 10 + chance.int(packed.length - 10)
    const flipped = Uint8Array.from(packed)
    flipped[at] = (flipped[at] ?? 0) ^ (1 << chance.int(8))
    return [`a bit flipped at ${at} of ${packed.length}`, flipped]
  },
  (chance, packed) => {
    const garbage = Uint8Array.from({ length: 1 + chance.int(2000) }, () => chance.int(256))
    return ['garbage behind it', Buffer.concat([packed, garbage])]
  },
  (_chance, packed) => ['another gzip behind it', Buffer.concat([packed, gzipSync('x'.repeat(5000))])],
  (_chance, packed) => ['packed twice', gzipSync(packed)],
  (chance) => ['noise', Uint8Array.from({ length: chance.int(4000) }, () => chance.int(256))],
  (chance) => [
    'noise that calls itself gzip',
    Uint8Array.from([0x1f, 0x8b, 8, 0, ...Array.from({ length: 500 }, () => chance.int(256))]),
  ],
  (chance) => ['gzip of noise', gzipSync(Uint8Array.from({ length: 3000 }, () => chance.int(256)))],
  () => ['nothing', new Uint8Array()],
  () => ['gzip of nothing', gzipSync('')],
  () => ['a zip', Buffer.from('PK\u0003\u0004 and more of it')],
]

export type HostileArchive = { readonly bytes: Uint8Array; readonly description: string; readonly mustBeRefused: boolean }

/** An archive of these files with something wrong in it, by the seed alone. */
export function hostileArchive(files: Files, seed: number): HostileArchive {
  const chance = seedChance(seed)
  const entries = listEntries(files)
  if (chance.isOneIn(2)) {
    const [description, bytes] = chance.pick(WRAPPINGS)(chance, pack(entries))
    return { bytes, description, mustBeRefused: false }
  }
  const [description, bad] = chance.pick(FORBIDDEN)
  const at = chance.int(entries.length + 1)
  return { bytes: pack(entries.toSpliced(at, 0, ...bad)), description: `${description}, entry ${at}`, mustBeRefused: true }
}

/** A few kilobytes that say they are this many mebibytes of zeros: members of gzip one after another are one stream. */
export function gzipBomb(files: Files, mebibytes: number): Uint8Array {
  const size = mebibytes * 1024 * 1024
  const head = Buffer.concat([
    ...listEntries(files).map(tarEntry),
    tarEntry({ name: 'host/h/zeros', size: size.toString(8).padStart(11, '0') }),
  ])
  const member = gzipSync(new Uint8Array(1024 * 1024))
  return Buffer.concat([gzipSync(head), ...Array.from({ length: mebibytes }, () => member), gzipSync(END)])
}

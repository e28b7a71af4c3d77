import { describe, expect, it } from 'vitest'
import { addressBytes } from './address-bytes.ts'
import { bitString, encode, integer, objectId, TAG, time } from './der.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('DER', () => {
  it.each([
    [0, '0400'],
    [127, `047f${'00'.repeat(127)}`],
    [128, `048180${'00'.repeat(128)}`],
    [255, `0481ff${'00'.repeat(255)}`],
    [256, `04820100${'00'.repeat(256)}`],
    [65_536, `0483010000${'00'.repeat(65_536)}`],
  ])('writes the length %i', (length, expected) => {
    expect(hex(encode(TAG.octetString, Buffer.alloc(length)))).toBe(expected)
  })

  it.each([
    [[0], '020100'],
    [[0x7f], '02017f'],
    [[0x80], '02020080'],
    [[0, 0, 1], '020101'],
    [[0, 0x80], '02020080'],
  ])('writes the whole number %j in the fewest bytes, never negative', (bytes, expected) => {
    expect(hex(integer(Buffer.from(bytes)))).toBe(expected)
  })

  // The examples of RFC 5280 and X.690.
  it.each([
    ['1.2.840.10045.4.3.2', '06082a8648ce3d040302'],
    ['2.5.29.17', '0603551d11'],
    ['1.2.840.113549', '06062a864886f70d'],
  ])('writes the object id %s', (dotted, expected) => {
    expect(hex(objectId(dotted))).toBe(expected)
  })

  it('writes times of this century and the next', () => {
    expect(
      time(Date.UTC(2049, 11, 31, 23, 59, 59, 999))
        .toString('latin1')
        .slice(2),
    ).toBe('491231235959Z')
    expect(
      time(Date.UTC(2050, 0, 1))
        .toString('latin1')
        .slice(2),
    ).toBe('20500101000000Z')
    expect([time(Date.UTC(2049, 0))[0], time(Date.UTC(2050, 0))[0]]).toEqual([TAG.utcTime, TAG.generalizedTime])
  })

  it('writes bits', () => {
    expect(hex(bitString(Buffer.from([0x80]), 7))).toBe('03020780')
  })
})

describe('the bytes of an address', () => {
  it.each([
    ['127.0.0.1', '7f000001'],
    ['::', '0'.repeat(32)],
    ['::1', `${'0'.repeat(31)}1`],
    ['2001:db8::ff:1', '20010db8000000000000000000ff0001'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['fe80::', 'fe80000000000000'.padEnd(32, '0')],
    ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
  ])('%s', (text, expected) => {
    expect(hex(addressBytes(text) ?? new Uint8Array())).toBe(expected)
  })

  it.each(['localhost', '1.2.3', '1.2.3.256', 'fe80::1%eth0', ':::', ''])('%s is a name', (text) => {
    expect(addressBytes(text)).toBeNull()
  })
})

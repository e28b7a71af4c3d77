import { isIPv4, isIPv6 } from 'node:net'

/** The bytes of an IP address; null for a name. */
export function addressBytes(text: string): Buffer | null {
  if (isIPv4(text)) return Buffer.from(text.split('.').map(Number))
  if (!isIPv6(text) || text.includes('%')) return null
  // ::ffff:192.0.2.1 ends in the bytes of an IPv4 address.
  const plain = text.replace(/[\d.]+$/, (last) => (isIPv4(last) ? inGroups(last) : last))
  const [head = '', tail] = plain.split('::')
  const groups = (part: string): readonly string[] => (part === '' ? [] : part.split(':'))
  const [before, after] = [groups(head), groups(tail ?? '')]
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => '0')
  const all = [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16))
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}

function inGroups(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

import { expect, it } from 'vitest'

import { readConsoleLine, readGuestConsole } from './guest-console.ts'

it.each<[string, string, string | null]>([
  ['a kernel line', 'level=debug vmconsole="[  131.400000] Out of memory: x" pid=1', 'Out of memory: x'],
  ['quotes and backslashes', String.raw`vmconsole="a \"b\" c:\\d" pid=1`, String.raw`a "b" c:\d`],
  ['a line that was cut', 'msg="reading guest console" vmconsole="[ 1.5] Kernel pa', 'Kernel pa'],
  ['a line that ends in an escape', 'vmconsole="x\\', 'x\\'],
  ['a line of the shim', 'level=warning msg="failed to ping agent"', null],
])('reads what the guest wrote: %s', (_what, message, expected) => {
  expect(readGuestConsole(message)).toBe(expected)
})

it('reads a console file line by line', () => {
  expect(readConsoleLine('[   12.000001] systemd[1]: x')).toBe('systemd[1]: x')
  expect(readConsoleLine('login:')).toBe('login:')
})

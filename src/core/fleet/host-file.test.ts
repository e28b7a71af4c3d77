import { describe, expect, it } from 'vitest'
import { hostFileFault } from './host-file.ts'

const CGROUPS = '#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpuset\t0\t109\t1\nmemory\t0\t109\t1\n'
const FREE = `               total        used        free      shared  buff/cache   available
Mem:           23998        1201       20123          12        2674       22511
Swap:              0           0           0
`

describe('a file of a host', () => {
  it.each([
    ['proc/sys/fs/file-nr', '1024\t0\t9223372036854775807\n'],
    ['proc/sys/fs/file-nr', '1024 0 100000'],
    ['proc/sys/fs/file-max', '9223372036854775807\n'],
    ['proc/sys/fs/nr_open', '1048576'],
    ['proc/cgroups', CGROUPS],
    ['free-m', FREE],
    ['free-m', FREE.replaceAll('\n', '\r\n')],
    ['df', 'whatever it prints'],
  ])('%s is accepted as printed', (name, text) => {
    expect(hostFileFault(name, text)).toBeNull()
  })

  it.each([
    ['proc/sys/fs/file-nr', ''],
    ['proc/sys/fs/file-nr', '1024\t0'],
    ['proc/sys/fs/file-nr', 'garbage'],
    ['proc/sys/fs/file-max', '\n'],
    ['proc/sys/fs/file-max', '12 13'],
    ['proc/cgroups', CGROUPS.slice(0, 30)],
    ['proc/cgroups', CGROUPS.slice(0, -3)],
    ['free-m', FREE.slice(0, 40)],
    ['free-m', FREE.slice(0, FREE.indexOf('Mem:') + 20)],
    ['free-m', FREE.slice(0, -16)],
    ['df', ' '],
  ])('%s with %j is rejected', (name, text) => {
    expect(hostFileFault(name, text)).not.toBeNull()
  })
})

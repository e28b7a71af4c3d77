import { describe, expect, it } from 'vitest'
import { journalctlArgs, oldestLineArgs } from './journalctl-args.ts'
import { gapsOfRemarks } from './journalctl-remarks.ts'

describe('the question to journalctl', () => {
  const always = ['--no-pager', '--output=json', '--all']

  it.each([
    ['nothing in particular', {}, []],
    ['a window and what was read up to a minute late', { until: 2500 }, ['--until=@62.500999']],
    ['what is after a time', { since: 1000 }, ['--since=@1.000']],
    ['a unit of the boot before', { unit: 'kubelet.service', boot: -1 }, ['--boot=-1', '--unit=kubelet.service']],
    ['the kernel in every boot', { kernelOnly: true }, ['_TRANSPORT=kernel']],
    ['a pattern that looks like an option', { grep: '--all' }, ['--grep=--all']],
  ])('asks for %s', (_, query, expected) => {
    expect(journalctlArgs({ directory: null }, query)).toEqual([...always, ...expected])
  })

  it('names the folder where there is one', () => {
    expect(journalctlArgs({ directory: '/a b' }, {})).toContain('--directory=/a b')
    expect(oldestLineArgs({ directory: '/a b' })).toContain('--directory=/a b')
  })
})

describe('what journalctl says on its error stream', () => {
  it.each([
    ['Hint: You are currently not seeing messages from other users and the system.', false, ['forbidden']],
    ['No journal files were opened due to insufficient permissions.', true, ['forbidden']],
    ['No journal files were found.', false, ['unsupported']],
    ['Failed to open /nowhere: No such file or directory', true, ['unsupported']],
    ['Data from the specified boot (-3) is not available: No such boot ID in journal', true, ['expired']],
    ['Journal file /x/system.journal corrupted, ignoring file.', false, ['malformed']],
    ['Failed to open files: No data available', true, ['malformed']],
    ['something new', true, ['server-error']],
    ['something new', false, []],
    ['', true, []],
  ])('"%s" with failure %s means %j', (remarks, hasFailed, codes) => {
    expect(gapsOfRemarks(`${remarks}\n`, hasFailed).map((gap) => gap.code)).toEqual(codes)
  })
})

import { describe, expect, it } from 'vitest'
import { HOST_FILES } from '#/ports/this-host.ts'
import { openThisHost } from './this-host.ts'

const { signal } = new AbortController()
const journal = { program: 'journalctl', directory: null, namespace: null, maxBytes: 1000 }
const host = openThisHost({ journal, cgroupRoot: '/nonexistent' })

describe.skipIf(process.platform !== 'linux')('this machine', () => {
  it.each(HOST_FILES)('reads %s, or says why not', async (name) => {
    const read = await host.file(name, signal)
    if (read.kind === 'blind') expect(read.reason.detail).toContain('this machine has none')
    else expect(read).toMatchObject({ kind: 'seen', value: expect.stringMatching(/\d/) as string })
  })

  it('has no cgroup of a pod that it does not know', async () => {
    expect(await host.cgroups({ uid: 'x', containers: [] }, signal)).toEqual({ kind: 'none' })
  })

  it('stops on its signal', async () => {
    expect(await host.file('df', AbortSignal.abort())).toMatchObject({ kind: 'blind', reason: { code: 'stopped' } })
  })
})

import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import { gathered, paths } from '#test/collect/gathered.ts'
import { WHOLE_FLEET } from '#/runtime/collect/request/request.ts'
import type { ReadHosts } from '#/runtime/collect/request/request.ts'

const collect = (hosts: ReadHosts, wanted: readonly string[] = ['host']) =>
  gathered({ hosts, fleet: { ...WHOLE_FLEET, wanted: new Set(wanted) } })

const NR = 'proc/sys/fs/file-nr'

describe('the machines that agents serve', () => {
  it('are read with what they hold; one that did not answer is blind, the others are not', async () => {
    const { files, sources, meta } = await collect(async () =>
      seen([
        { node: 'n1', files: new Map([[NR, '1 0 2\n']]), unread: ['df: there is none'] },
        { node: 'n2', files: new Map(), unread: ['timeout: no answer'] },
      ]),
    )
    expect(files.get(`host/n1/${NR}`)).toBe('1 0 2\n')
    expect([sources['host'], sources['host/n1'], sources['host/n2']]).toEqual([
      'looked',
      'looked',
      'unreachable: timeout: no answer',
    ])
    expect(meta.sources.get('host')).toMatchObject({ coverage: { remark: 'of 2 nodes whose agents are connected' } })
  })

  it('choose neither their folder nor the names of their files', async () => {
    const { files } = await collect(async () =>
      seen([
        { node: '../etc', files: new Map([[NR, '1']]), unread: [] },
        { node: 'n1', files: new Map([['../../passwd', '1']]), unread: [] },
      ]),
    )
    expect(paths(files, 'host/')).toEqual([])
  })

  it('are blind with their server, none without agents, and not asked for by an audit that does not read them', async () => {
    expect((await collect(async () => blind('unreachable', 'no server'))).sources['host']).toBe(
      'unreachable: no server',
    )
    expect((await collect(async () => none())).sources['host']).toBe('looked')
    const never: ReadHosts = () => Promise.reject(new Error('asked'))
    expect((await collect(never, ['kubernetes/pods'])).sources['host']).toBeUndefined()
  })
})

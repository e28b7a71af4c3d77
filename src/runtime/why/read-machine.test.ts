import { describe, expect, it } from 'vitest'

import { readCgroups, readHost } from '#/runtime/why/read-machine.ts'
import { makeBundle } from '#test/why/bundle-in-memory.ts'
import { SUBJECT, makeContainer, makePod, second } from '#test/why/evidence.ts'

const cgroups = {
  'cgroup/ci/linux-x1': { 'memory.max': '1' },
  'cgroup/ci/linux-x1/_pod': { 'memory.max': '2' },
  'cgroup/ci/linux-x1/runner': { 'memory.max': '3' },
  'cgroup/ci/linux-x1/dind': { 'memory.max': '4' },
}
const read = async (...args: Parameters<typeof readCgroups>) =>
  (await readCgroups(...args)).files.map(({ container, files }) => `${container} ${files.get('memory.max')}`)

describe('cgroup files', () => {
  it('are those of the runner, of the pod, and of each container', async () => {
    const pod = makePod({ containers: [makeContainer(), makeContainer({ name: 'dind' })] })
    expect(await read(makeBundle({ cgroups }), SUBJECT, pod)).toEqual(['null 1', '_pod 2', 'runner 3', 'dind 4'])
  })

  it('are those of a container called runner where the pod is not known', async () => {
    expect(await read(makeBundle({ cgroups }), SUBJECT, null)).toEqual(['null 1', '_pod 2', 'runner 3'])
  })

  it('are blind where there are none, or nobody knows of which pod', async () => {
    expect(await readCgroups(makeBundle({}), SUBJECT, null)).toMatchObject({ files: [], state: { kind: 'blind' } })
    const unknown = { ...SUBJECT, namespace: null }
    expect(await readCgroups(makeBundle({ cgroups }), unknown, null)).toMatchObject({
      files: [],
      state: { kind: 'blind' },
    })
  })

  it('cover the time that meta.json names', async () => {
    const coverage = { cgroup: { from: second(1), to: null, remark: null } }
    const { state } = await readCgroups(makeBundle({ cgroups, coverage }), SUBJECT, null)
    expect(state).toEqual({ kind: 'looked', from: second(1), to: null })
  })
})

describe('files of the host', () => {
  const hosts = { 'host/n1/df': 'full', 'host/n2/df': 'empty' }

  it('are those of the node of the pod', async () => {
    expect((await readHost(makeBundle({ hosts }), 'n1')).files).toEqual(new Map([['df', 'full']]))
  })

  it('are none where the node is not known', async () => {
    expect((await readHost(makeBundle({ hosts }), null)).files).toEqual(new Map())
  })
})

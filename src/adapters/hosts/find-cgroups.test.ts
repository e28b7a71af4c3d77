import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findCgroups } from '#/adapters/hosts/find-cgroups.ts'

const UID = '0e6c1f0a-7d5e-4d0e-9a53-1f0a7d5e4d0e'
const OTHER = '1e6c1f0a-7d5e-4d0e-9a53-1f0a7d5e4d0e'
const ID = 'ab'.repeat(32)
const pod = { uid: UID, containers: [{ name: 'runner', id: ID }] }
const { signal } = new AbortController()

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'signalbox-cgroup-'))
})
afterEach(async () => {
  await rm(root, { recursive: true })
})

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}

async function found(): Promise<Readonly<Record<string, Readonly<Record<string, string>>>>> {
  const copies = await findCgroups(root, pod, signal)
  return Object.fromEntries(copies.map(({ container, files }) => [container ?? '_pod', Object.fromEntries(files)]))
}

describe('the cgroups of a pod', () => {
  it('are found under version 2 with the systemd driver', async () => {
    const slice = `kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID.replaceAll('-', '_')}.slice`
    await write({
      'cgroup.controllers': 'memory pids',
      [`${slice}/memory.events`]: 'oom_kill 1',
      [`${slice}/cgroup.procs`]: '1',
      [`${slice}/cri-containerd-${ID}.scope/memory.max`]: 'max',
      [`${slice}/cri-containerd-${'cd'.repeat(32)}.scope/memory.max`]: '1',
    })
    expect(await found()).toEqual({ _pod: { 'memory.events': 'oom_kill 1' }, runner: { 'memory.max': 'max' } })
  })

  it('are found under version 1, each counter in its own hierarchy, on a node that is a container', async () => {
    const path = `docker/x/kubelet/kubepods/burstable/pod${UID}`
    await write({
      [`memory/${path}/memory.failcnt`]: '3',
      [`memory/${path}/${ID}/memory.oom_control`]: 'oom_kill 1',
      [`pids/${path}/${ID}/pids.max`]: '100',
      [`memory/docker/x/kubelet/kubepods/burstable/pod${OTHER}/memory.failcnt`]: '9',
    })
    expect(await found()).toEqual({
      _pod: { 'memory.failcnt': '3' },
      runner: { 'memory.oom_control': 'oom_kill 1', 'pids.max': '100' },
    })
  })

  it('are none when the kernel has removed them', async () => {
    await write({ [`memory/kubepods/pod${OTHER}/memory.failcnt`]: '9' })
    expect(await found()).toEqual({})
  })
})

import { describe, expect, it } from 'vitest'
import { idsIn } from './named-ids.ts'

const UID = '0e6c1f0a-7d5e-4d0e-9a53-1f0a7d5e4d0e'
const CONTAINER = 'ab'.repeat(32)

function ids(text: string) {
  const bytes = new TextEncoder().encode(text)
  return idsIn(bytes, 0, bytes.length)
}

describe('the ids that a line names', () => {
  it.each([
    ['the kubelet about a volume', `(UniqueName: \\"projected/x\\") pod \\"${UID}\\" (UID: \\"${UID}\\")`, true],
    ['the kubelet about a folder', `path=\\"/var/lib/kubelet/pods/${UID}/volumes\\"`, true],
    ['the kubelet about a container event', `event={\\"ID\\":\\"${UID}\\",\\"Type\\":\\"ContainerDied\\"`, true],
    ['an older kubelet about one', `event=&{ID:${UID} Type:ContainerDied`, true],
    ['a cgroup', `/kubepods/burstable/pod${UID}`, true],
    ['systemd about a slice', `kubepods-pod${UID.replaceAll('-', '_')}.slice: Consumed 1s`, true],
    ['containerd', `&PodSandboxMetadata{Name:x,Uid:${UID},Namespace:y}`, true],
    ['another program', `request ${UID} took 3 ms`, false],
  ])('are read as %s writes them', (_, text, isPod) => {
    expect(ids(text)).toEqual([{ id: UID, isPod }])
  })

  it('are containers and sandboxes, but not the digests of images', () => {
    expect(ids(`StopContainer for \\"${CONTAINER}\\" with timeout 2 (s)`)).toEqual([{ id: CONTAINER, isPod: false }])
    expect(ids(`cri-containerd-${CONTAINER}.scope: Deactivated`)).toEqual([{ id: CONTAINER, isPod: false }])
    expect(ids(`image@sha256:${CONTAINER}`)).toEqual([])
    expect(ids(`${CONTAINER}0 ${CONTAINER.slice(1)} ${UID.slice(1)} ${UID.replace('-', '_')}`)).toEqual([])
  })

  it('are found between the two places only', () => {
    const bytes = new TextEncoder().encode(`pod${UID}`)
    expect(idsIn(bytes, 4, bytes.length)).toEqual([])
    expect(idsIn(bytes, 0, bytes.length - 1)).toEqual([])
  })

  it('are no more than so many, whoever writes the line', () => {
    const many = Array.from({ length: 5000 }, (_, index) => index.toString(16).padStart(64, '0')).join(' ')
    expect(ids(many)).toHaveLength(64)
    expect(ids('a'.repeat(2_000_000))).toEqual([])
    expect(ids('0-'.repeat(1_000_000))).toEqual([])
    expect(ids('0123456789ab-'.repeat(150_000))).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { indexJournal } from './journal-index.ts'
import type { CutRequest, KnownPod } from './journal-index.ts'

const uidOf = (index: number): string => `${String(index).padStart(8, '0')}-7d5e-4d0e-9a53-1f0a7d5e4d0e`
const idOf = (index: number): string => index.toString(16).padStart(64, 'c')
const [A, B, STRANGER] = [uidOf(1), uidOf(2), uidOf(3)]
const pods: readonly KnownPod[] = [
  { uid: A, containerIds: [idOf(1)] },
  { uid: B, containerIds: [idOf(2)] },
]

const line = (at: number, message: string, fields: object = {}): string =>
  `${JSON.stringify({ MESSAGE: message, __REALTIME_TIMESTAMP: String(at * 1000), SYSLOG_IDENTIFIER: 'kubelet', ...fields })}\n`

let pauses = 0
const pause = async (): Promise<void> => void (pauses += 1)

async function cut(text: string | Buffer, request: Partial<CutRequest> = {}): Promise<string> {
  const index = await indexJournal(Buffer.from(text), pods, pause)
  return Buffer.concat(index.cut({ since: 0, until: null, uid: A, ...request })).toString()
}

const messages = (text: string): readonly string[] =>
  text
    .trim()
    .split('\n')
    .map((one) => (JSON.parse(one) as { readonly MESSAGE: string }).MESSAGE)

describe('the journal of a burst, cut for one pod', () => {
  it('has the lines of its own window, in their order', async () => {
    const text = [1000, 2000, 3000, 4000].map((at) => line(at, `at ${at}`)).join('')
    expect(messages(await cut(text, { since: 2000 }))).toEqual(['at 2000', 'at 3000', 'at 4000'])
    const late = line(2000 + 60_000, 'written late') + line(2001 + 60_000, 'later')
    expect(messages(await cut(text + late, { since: 4001, until: 2000 }))).toEqual(['written late'])
  })

  it('has what names it and what names nobody, and nothing that names another pod alone', async () => {
    const own = `"Killing container" podUID="${A}" containerID="containerd://${idOf(1)}"`
    const both = `containers ${idOf(1)} and ${idOf(2)}`
    const text = [own, 'eviction manager: disk pressure', both].map((message) => line(1, message)).join('')
    const others = [`pod "${B}" volume`, `StopContainer for "${idOf(2)}"`, `podUID="${STRANGER}"`]
    const all = text + others.map((message) => line(2, message)).join('')
    expect(await cut(all)).toBe(text)
    expect(await cut(all, { uid: null })).toBe(all)
  })

  it('has the lines of its sandbox, which is known only from the lines themselves', async () => {
    const [mine, theirs] = [idOf(11), idOf(12)]
    const made = (uid: string, sandbox: string) =>
      line(1, `RunPodSandbox for &PodSandboxMetadata{Name:x,Uid:${uid},} returns sandbox id "${sandbox}"`)
    const inside = (sandbox: string, id: string) =>
      line(2, `CreateContainer within sandbox "${sandbox}" returns container id "${id}"`)
    const ended = (id: string) => line(3, `received exit event container_id:"${id}"`)
    const own = [made(A, mine), inside(mine, idOf(21)), ended(idOf(21))]
    const other = [made(B, theirs), inside(theirs, idOf(22)), ended(idOf(22))]
    expect(await cut([...own, ...other].join(''))).toBe(own.join(''))
    expect(await cut(ended(idOf(99)))).toBe(ended(idOf(99)))
  })

  it('has every line of the kernel: half an OOM report names the wrong victim', async () => {
    const kernel = { _TRANSPORT: 'kernel', SYSLOG_IDENTIFIER: 'kernel' }
    const report =
      line(1, `oom-kill:constraint=CONSTRAINT_MEMCG,task_memcg=/kubepods/pod${B}/${idOf(2)}`, kernel) +
      line(1, 'Memory cgroup out of memory: Killed process 7 (node)', kernel)
    expect(await cut(report)).toBe(report)
  })

  it('takes no line for that of another pod because of the container in which its program runs', async () => {
    const inContainer = { _SYSTEMD_CGROUP: `/docker/${idOf(50)}/kubelet.slice`, _CMDLINE: `kubelet ${idOf(2)}` }
    const text =
      line(1, `podUID="${A}" started`, inContainer) +
      line(2, 'eviction manager: \\"disk\\" pressure', inContainer) +
      line(3, 'binary', { ...inContainer, MESSAGE: [...Buffer.from(idOf(2))] })
    expect(await cut(text + line(4, `podUID="${B}" started`, inContainer))).toBe(text)
  })

  it('is not deceived by a message that looks like fields', async () => {
    const message = `"__REALTIME_TIMESTAMP":"5000000" "_TRANSPORT":"kernel" pod ${B}`
    expect(await cut(line(1000, message), { uid: B, since: 2000 })).toBe('')
    expect(await cut(line(1000, message))).toBe('')
  })

  it('keeps a line that it cannot read, leaves out one that is too long, and says so', async () => {
    const hint = Buffer.from('Hint: You are currently not seeing messages\n')
    const broken = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x22, 0x0a])
    const long = Buffer.from(line(1, 'x'.repeat(2 * 1024 * 1024)))
    const index = await indexJournal(Buffer.concat([hint, long, broken]), pods, pause)
    expect(Buffer.concat(index.cut({ since: 5, until: null, uid: A }))).toEqual(Buffer.concat([hint, broken]))
    expect(index.overlong).toBe(1)
  })

  it('shares its bytes with the cuts of all others, and pauses while it reads', async () => {
    const bytes = Buffer.from(Array.from({ length: 5000 }, (_, at) => line(at, 'y'.repeat(1000))).join(''))
    pauses = 0
    const index = await indexJournal(bytes, pods, pause)
    expect(pauses).toBeGreaterThan(3)
    for (const uid of [A, B]) {
      const pieces = index.cut({ since: 0, until: null, uid })
      expect(pieces.map(({ buffer }) => buffer === bytes.buffer)).toEqual([true])
    }
  })
})

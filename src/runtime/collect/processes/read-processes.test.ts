import { describe, expect, it } from 'vitest'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { readPodRecord } from '#/core/kubernetes/pod-record.ts'
import type { ReadPodProcesses } from '#/ports/pod-processes.ts'
import { readProcesses } from './read-processes.ts'
import type { AskedRunner, ProcessMeans } from './read-processes.ts'

const { signal } = new AbortController()
const WAITING = '18 1 100 /home/runner/bin/Runner.Listener run\n'
const WORKING = `${WAITING}30 18 9 /home/runner/bin/Runner.Worker spawnclient 1 2\n`
const VMM = '18 1 100 /opt/kata/bin/qemu-system-x86_64 -name sandbox\n'
const away = blind('unreachable', 'the agent on n1 is away')
const forbidden = blind('forbidden', '403')

type Plan = {
  readonly phase?: string
  readonly runtimeClassName?: string
  readonly containers?: readonly string[]
  readonly state?: object
}

function runner(plan: Plan = {}, name = 'r1'): AskedRunner {
  const { phase = 'Running', containers = ['runner'], state = { running: {} }, runtimeClassName } = plan
  const pod = readPodRecord({
    metadata: { namespace: 'ns', name, uid: `u-${name}` },
    spec: { nodeName: 'n1', runtimeClassName, containers: containers.map((own) => ({ name: own, image: 'x' })) },
    status: { phase, containerStatuses: containers.map((own) => ({ name: own, image: 'x', state })) },
  })
  return { runner: { namespace: 'ns', name }, pod }
}

function means(agent: Observed<string> | null, exec: Observed<string> | null) {
  const asked: string[] = []
  const way = (name: string, answer: Observed<string> | null): ReadPodProcesses | null =>
    answer === null
      ? null
      : async ({ pod, container }) => {
          asked.push(`${name} ${pod}/${container}`)
          return answer
        }
  const own: ProcessMeans = { agent: way('agent', agent), exec: way('exec', exec) }
  return { own, asked }
}

async function read(one: AskedRunner, agent: Observed<string> | null, exec: Observed<string> | null) {
  const { own, asked } = means(agent, exec)
  return { result: (await readProcesses([one], own, signal)).get('ns/r1'), asked }
}

describe('the processes of runners', () => {
  it('come from the agent, and then nobody else is asked', async () => {
    expect(await read(runner(), seen(WORKING), seen(WAITING))).toEqual({
      result: seen(WORKING),
      asked: ['agent r1/runner'],
    })
  })

  it.each<readonly [string, Observed<string> | null, Plan]>([
    ['is away', away, {}],
    ['cannot be asked', null, {}],
    ['sees only the sandbox', seen(VMM), {}],
    ['would see only the sandbox of a microVM', seen(WAITING), { runtimeClassName: 'kata-qemu' }],
    ['would see only the sandbox of gVisor', seen(WAITING), { runtimeClassName: 'gvisor' }],
  ])('come from pods/exec where the agent %s', async (_title, agent, plan) => {
    const { result, asked } = await read(runner(plan), agent, seen(WORKING))
    expect([result, asked.at(-1)]).toEqual([seen(WORKING), 'exec r1/runner'])
  })

  it('are blind with both reasons', async () => {
    const { result } = await read(runner(), away, forbidden)
    expect(result).toEqual(blind('forbidden', 'agent: unreachable: the agent on n1 is away; pods/exec: forbidden: 403'))
  })

  it.each<readonly [string, Observed<string> | null, Observed<string> | null, Plan]>([
    ['nothing can be asked', null, null, {}],
    ['the agent of a microVM is all that there is', seen(WAITING), null, { runtimeClassName: 'kata' }],
    ['the container has other processes', seen(VMM), seen('1 0 5 dockerd\n'), {}],
  ])('are blind where %s', async (_title, agent, exec, plan) => {
    expect((await read(runner(plan), agent, exec)).result).toMatchObject({ kind: 'blind' })
  })

  it('are asked of every container that may be the runner', async () => {
    const { result, asked } = await read(runner({ containers: ['one', 'two'] }), null, seen(WAITING))
    expect([result, asked]).toEqual([seen(`${WAITING}${WAITING}`), ['exec r1/one', 'exec r1/two']])
  })

  it.each<readonly [string, AskedRunner]>([
    ['without a pod', { runner: { namespace: 'ns', name: 'r1' }, pod: null }],
    ['whose pod has ended', runner({ phase: 'Failed' })],
    ['whose container waits', runner({ state: { waiting: { reason: 'ImagePullBackOff' } } })],
  ])('are not asked for one %s', async (_title, one) => {
    expect(await read(one, seen(WAITING), seen(WAITING))).toEqual({ result: undefined, asked: [] })
  })

  it('are read of 500 runners at most', async () => {
    const { own, asked } = means(seen(WAITING), null)
    const many = Array.from({ length: 502 }, (_, index) => runner({}, `r${index}`))
    const found = await readProcesses(many, own, signal)
    expect([found.size, asked.length]).toEqual([502, 500])
    expect(found.get('ns/r501')).toMatchObject({ kind: 'blind', reason: { code: 'refused-by-limits' } })
  })
})

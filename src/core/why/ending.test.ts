import { describe, expect, it } from 'vitest'

import { isMicroVm, readEnding } from '#/core/why/ending.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import type { ContainerState, PodFacts } from '#/core/kubernetes/pod-facts.ts'
import {
  CONTAINER_ID,
  END,
  RUNNING,
  SIDECAR_ID,
  makeContainer,
  controllerFact,
  ended,
  endedPod,
  makeEvidence,
  makeJob,
  journalFact,
  logFact,
  makeLog,
  makePod,
  second,
} from '#test/why/evidence.ts'

const exit = (code: string, fields: Record<string, string> = {}, changes: { at?: number; order?: number } = {}) =>
  journalFact('container-exit', { at: END, fields: { code, ...fields }, ...changes })

describe('the end of the runner, by the status of its pod', () => {
  it('has the code, the reason and the time of the container', () => {
    expect(readEnding(makeEvidence({ pod: endedPod(137, { reason: 'OOMKilled' }) }))).toMatchObject({
      container: 'runner',
      containerId: CONTAINER_ID,
      code: 137,
      reason: 'OOMKilled',
      at: second(END),
      isAtLeast: false,
      facts: [{ source: 'kubernetes/pods', fields: { code: '137', reason: 'OOMKilled', name: 'runner' } }],
    })
  })

  it('is the previous state if the container was restarted', () => {
    const containers = [makeContainer({ state: RUNNING, last: ended(143, { finishedAt: second(400) }), restarts: 1 })]
    expect(readEnding(makeEvidence({ pod: makePod({ containers }) }))).toMatchObject({ code: 143, at: second(400) })
  })

  it('reads the raw signals of a microVM, and says so', () => {
    const { code, facts } = readEnding(makeEvidence({ pod: endedPod(9, {}, { runtimeClass: 'kata-qemu' }) }))
    expect(code).toBe(137)
    expect(facts[0]?.text).toContain('exit code 9 (a raw signal number of the microVM agent, so 137)')
    expect(readEnding(makeEvidence({ pod: endedPod(9) })).code).toBe(9)
  })

  it('is not known while the container runs', () => {
    const ending = readEnding(makeEvidence({ pod: makePod() }))
    expect(ending).toMatchObject({ container: 'runner', code: null, reason: null, at: null, facts: [] })
  })

  it.each([
    ['ContainerStatusUnknown', 137],
    ['Unknown', 255],
  ])('with reason %s and code %i was only found late: the last log line is closer', (reason, code) => {
    const pod = endedPod(code, { reason, finishedAt: second(800) })
    expect(readEnding(makeEvidence({ pod, log: makeLog() }))).toMatchObject({ at: second(END - 1), isAtLeast: true })
    expect(readEnding(makeEvidence({ pod }))).toMatchObject({ at: second(800), isAtLeast: false })
  })

  it.each([
    ['Unknown', 137],
    ['Error', 255],
  ])('with reason %s and code %i is trusted', (reason, code) => {
    const pod = endedPod(code, { reason, finishedAt: second(800) })
    expect(readEnding(makeEvidence({ pod, log: makeLog() }))).toMatchObject({ at: second(800), isAtLeast: false })
  })

  it('without its own time has that of the last log line', () => {
    const pod = endedPod(1, { finishedAt: null })
    expect(readEnding(makeEvidence({ pod, log: makeLog() }))).toMatchObject({ at: second(END - 1), isAtLeast: true })
    expect(readEnding(makeEvidence({ pod, clues: [exit('1')] }))).toMatchObject({ at: second(END), isAtLeast: false })
  })
})

describe('the end of the runner, by other sources', () => {
  it('is in the journal: code, container and time', () => {
    expect(
      readEnding(makeEvidence({ clues: [exit('137', { container: CONTAINER_ID, name: 'runner' })] })),
    ).toMatchObject({
      container: 'runner',
      containerId: CONTAINER_ID,
      code: 137,
      reason: null,
      at: second(END),
      isAtLeast: false,
      isAmbiguous: false,
    })
  })

  it('is the first in the journal: a restarted kubelet repeats old ones', () => {
    const clues = [exit('255', { name: 'runner' }, { at: 700 }), exit('143', { name: 'runner' }, { at: 500 })]
    expect(readEnding(makeEvidence({ clues }))).toMatchObject({ code: 143, at: second(500) })
  })

  it('is that of the container with the id in the pod', () => {
    const clues = [exit('1', { container: SIDECAR_ID }, { at: 400 }), exit('137', { container: CONTAINER_ID })]
    const { facts } = readEnding(makeEvidence({ pod: endedPod(137), clues }))
    expect(facts.map(({ fields }) => fields['code'])).toEqual(['137', '137'])
    expect(readEnding(makeEvidence({ pod: endedPod(137), clues: clues.slice(0, 1) })).facts).toHaveLength(1)
  })

  it.each([
    ['a name that is not the runner', { name: 'dind', container: SIDECAR_ID }],
    ['a line about the node', null],
    ['no code', undefined],
  ])('is not read from a line with %s', (_what, fields) => {
    const clue =
      fields === null
        ? { ...exit('137', { name: 'runner' }), about: 'node' as const }
        : fields === undefined
          ? journalFact('container-exit', { fields: { name: 'runner' } })
          : exit('137', fields)
    expect(readEnding(makeEvidence({ clues: [clue] }))).toMatchObject({ code: null, facts: [] })
  })

  it('is read from the only container that ended, although it has no name', () => {
    const clues = [exit('137', { container: CONTAINER_ID })]
    expect(readEnding(makeEvidence({ clues }))).toMatchObject({ code: 137, isAmbiguous: false })
  })

  it('is ambiguous if two containers without names ended', () => {
    const clues = [exit('137', { container: CONTAINER_ID }), exit('143', { container: SIDECAR_ID })]
    expect(readEnding(makeEvidence({ clues }))).toMatchObject({ code: null, facts: [], isAmbiguous: true })
    const other = makePod({ containers: [makeContainer({ id: 'f'.repeat(64) })] })
    expect(readEnding(makeEvidence({ clues, pod: other })).isAmbiguous).toBe(false)
    const named = [...clues, exit('1', { container: 'f'.repeat(64), name: 'runner' })]
    expect(readEnding(makeEvidence({ clues: named })).isAmbiguous).toBe(false)
  })

  it('is not known, and said to be so, of two containers that both may be the runner', () => {
    const pod = makePod({
      containers: [
        makeContainer({ name: 'a-main', state: ended(137) }),
        makeContainer({ name: 'proxy', state: RUNNING }),
      ],
    })
    const clues = [exit('137', { container: SIDECAR_ID })]
    const expected = { code: null, container: null, facts: [], isAmbiguous: true }
    expect(readEnding(makeEvidence({ pod, clues }))).toMatchObject(expected)
  })

  it('under a lost job is that of the only one that was killed, whichever is the runner', () => {
    const two = (state: ContainerState) =>
      makePod({
        containers: [makeContainer({ name: 'a-main', state: ended(137) }), makeContainer({ name: 'proxy', state })],
      })
    const lost = (pod: PodFacts) => readEnding(makeEvidence({ pod, job: makeJob({ conclusion: 'failure' }) }))
    expect(lost(two(RUNNING))).toMatchObject({ code: 137, container: 'a-main', isAmbiguous: false })
    expect(lost(two(ended(143)))).toMatchObject({ code: null, isAmbiguous: true })
  })

  it('is found by container name if the pod has no container id', () => {
    const pod = makePod({ containers: [makeContainer({ id: null, state: ended(137) })] })
    const clues = [exit('137', { container: CONTAINER_ID, name: 'runner' })]
    expect(readEnding(makeEvidence({ pod, clues })).facts).toHaveLength(2)
  })

  it('prefers the time of the journal to that of the log', () => {
    const clues = [exit('137', { name: 'runner' })]
    expect(readEnding(makeEvidence({ clues, log: makeLog({ lastAt: second(300) }) }))).toMatchObject({
      at: second(END),
      isAtLeast: false,
    })
  })

  it('has the time of the log if pod and journal only found it dead', () => {
    const pod = endedPod(255, { reason: 'Unknown', finishedAt: second(800) })
    const clues = [exit('255', { container: CONTAINER_ID }, { at: 800 })]
    expect(readEnding(makeEvidence({ pod, clues, log: makeLog() }))).toMatchObject({
      at: second(END - 1),
      isAtLeast: true,
    })
  })

  it('reads the raw signals of a microVM here too', () => {
    const evidence = makeEvidence({
      pod: makePod({ runtimeClass: 'kata' }),
      clues: [exit('9', { container: CONTAINER_ID })],
    })
    expect(readEnding(evidence)).toMatchObject({ code: 137, facts: [{ fields: { code: '137' } }] })
  })

  it('is in the record of a controller, after pod and journal', () => {
    const record = controllerFact('terminal-record', { fields: { code: '137', reason: 'OOMKilled' } })
    expect(readEnding(makeEvidence({ clues: [record] }))).toMatchObject({ code: 137, reason: 'OOMKilled', at: null })
    expect(readEnding(makeEvidence({ clues: [record], pod: endedPod(1) }))).toMatchObject({ code: 1, reason: 'Error' })
    expect(readEnding(makeEvidence({ clues: [{ ...record, about: 'node' }] })).facts).toEqual([])
  })

  it('is not before the last log line, if nothing else shows it', () => {
    expect(readEnding(makeEvidence({ log: makeLog() }))).toMatchObject({
      at: second(END - 1),
      isAtLeast: true,
      code: null,
    })
    expect(readEnding(makeEvidence({ log: makeLog({ lastAt: null }) }))).toMatchObject({ at: null, isAtLeast: false })
  })

  it('has the first exit that run-helper.sh turned into 0', () => {
    const clues = [
      logFact('runner-process-killed', { at: 590, order: 2, fields: { code: '137' } }),
      logFact('runner-process-killed', { at: 589, order: 1, fields: { signal: 'Killed' } }),
    ]
    const { code, folded } = readEnding(makeEvidence({ pod: endedPod(0), clues }))
    expect([code, folded?.fields]).toEqual([0, { signal: 'Killed' }])
    expect(readEnding(makeEvidence({ pod: endedPod(0) })).folded).toBeNull()
  })
})

describe('another container of the pod', () => {
  const dind = (state: Parameters<typeof ended>) =>
    makeContainer({ name: 'dind', id: SIDECAR_ID, state: ended(...state) })
  const beside = (runner: Parameters<typeof ended> | null, other: Parameters<typeof ended>) =>
    makePod({ containers: [dind(other), makeContainer(runner === null ? {} : { state: ended(...runner) })] })
  const before = { finishedAt: second(550) }
  const lost = { job: makeJob({ conclusion: 'failure' }) }

  const CASES: readonly (readonly [what: string, evidence: Partial<Evidence>, container: string])[] = [
    [
      'killed before the runner exited, with a lost job, is the one to explain',
      { ...lost, pod: beside([1], [137, before]) },
      'dind',
    ],
    [
      'out of memory is the one to explain, with any code',
      { ...lost, pod: beside([1], [0, { ...before, reason: 'OOMKilled' }]) },
      'dind',
    ],
    ['killed while the runner still runs is the one to explain', { ...lost, pod: beside(null, [137, before]) }, 'dind'],
    [
      'is not the one to explain if the job succeeded',
      { job: makeJob({ conclusion: 'success' }), pod: beside([0], [137, before]) },
      'runner',
    ],
    ['is not the one to explain if no job is known to be lost', { pod: beside([0], [137, before]) }, 'runner'],
    ['that ended by itself did not end the runner', { ...lost, pod: beside([1], [1, before]) }, 'runner'],
    [
      'killed after the runner exited is only clean-up',
      { ...lost, pod: beside([1], [137, { finishedAt: second(601) }]) },
      'runner',
    ],
    ['does not matter to a runner that was killed itself', { ...lost, pod: beside([137], [137, before]) }, 'runner'],
    [
      'without a code proves nothing',
      { ...lost, pod: beside([1], [null, { ...before, reason: 'OOMKilled' }]) },
      'runner',
    ],
    [
      'that still runs is not the one to explain',
      { ...lost, pod: makePod({ containers: [makeContainer({ name: 'dind' }), makeContainer({ state: ended(1) })] }) },
      'runner',
    ],
    [
      'is not the one to explain because another log mentions a failure',
      { clues: [logFact('step-exited', { fields: { result: 'Failed' } })], pod: beside([1], [137, before]) },
      'runner',
    ],
    [
      'is the one to explain if the runner logs that the daemon is gone',
      { clues: [logFact('docker-daemon-gone')], pod: beside([1], [137, before]) },
      'dind',
    ],
    [
      'is the one to explain if the runner logs that the job failed',
      { clues: [logFact('job-result', { fields: { result: 'Failed' } })], pod: beside([1], [137, before]) },
      'dind',
    ],
    [
      'is not the one to explain if the runner logs that it succeeded',
      { clues: [logFact('job-result', { fields: { result: 'Succeeded' } })], pod: beside([0], [137, before]) },
      'runner',
    ],
  ]

  it.each(CASES)('%s', (_what, evidence, container) => {
    expect(readEnding(makeEvidence(evidence)).container).toBe(container)
  })

  it('is never an init container', () => {
    const containers = [{ ...dind([137, before]), role: 'init' as const }, makeContainer({ state: ended(1) })]
    expect(readEnding(makeEvidence({ ...lost, pod: makePod({ containers }) })).container).toBe('runner')
  })
})

describe('a microVM', () => {
  it.each(['kata', 'kata-qemu', 'kata-clh', 'firecracker', 'cloud-hypervisor', 'microvm'])('is %s', (runtimeClass) => {
    expect(isMicroVm(makeEvidence({ pod: makePod({ runtimeClass }) }))).toBe(true)
  })

  it.each([null, 'runc', 'gvisor', 'nvidia'])('is not %s', (runtimeClass) => {
    expect(isMicroVm(makeEvidence({ pod: makePod({ runtimeClass }) }))).toBe(false)
  })
})

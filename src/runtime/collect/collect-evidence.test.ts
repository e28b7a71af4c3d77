import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { SubjectArgument } from '#/core/evidence/subject-argument.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { buildCluster, gathered, object, paths, RUNNER, runnerPod } from '#test/collect/gathered.ts'
import { eventsFrom } from '#/runtime/collect/lists/write-list.ts'

describe('evidence of a cluster', () => {
  const pod: SubjectArgument = { kind: 'pod', namespace: null, name: RUNNER }

  it('of nobody is the fleet, without anybody’s logs', async () => {
    const { kubernetes, logs } = buildCluster({ pods: [runnerPod] })
    const { files, sources, subject, evidence } = await gathered({ kubernetes })
    expect([subject, logs, paths(files, 'github/'), evidence.hasLooked()]).toEqual([{}, [], [], true])
    expect(sources['kubernetes/pods']).toBe('looked')
    expect(JSON.parse(files.get('kubernetes/events.json') ?? '')).toMatchObject({ items: [] })
  })

  it('has the logs of the runner and of ARC, and says why it lacks what it lacks', async () => {
    const labels = { 'app.kubernetes.io/part-of': 'gha-rs-controller' }
    const controller = object('arc', { spec: { containers: [{ name: 'manager' }] } }, labels)
    const { kubernetes, logs } = buildCluster({ pods: [controller, runnerPod, object('other')] })
    const { files, sources, evidence } = await gathered({ kubernetes, subject: pod })
    expect(logs.map((log) => [log.pod, log.container])).toEqual([
      [RUNNER, 'runner'],
      ['arc', 'manager'],
    ])
    expect(files.get('kubernetes/stats/n1.json')).toBe('{"a":1}')
    expect(sources['kubernetes/configz/n1']).toBe('forbidden: no right')
    expect(evidence.unfound()).toEqual([])
  })

  it('of one of ARC’s own pods has its log once', async () => {
    const labels = { 'app.kubernetes.io/part-of': 'gha-rs-controller' }
    const { kubernetes, logs } = buildCluster({
      pods: [object('arc', { spec: { containers: [{ name: 'manager' }] } }, labels)],
    })
    await gathered({ kubernetes, subject: { kind: 'pod', namespace: null, name: 'arc' } })
    expect(logs.map((log) => log.pod)).toEqual(['arc'])
  })

  it('covers events as far back as the oldest that the server still has', () => {
    const event = (lastTimestamp: string, firstTimestamp = lastTimestamp) => ({ lastTimestamp, firstTimestamp })
    const now = Date.UTC(2026, 5, 6, 22)
    const events = [event('2026-06-06T21:30:00Z'), event('2026-06-06T21:10:00Z', '2026-06-01T00:00:00Z')]
    expect(eventsFrom(events, now)).toBe(Date.UTC(2026, 5, 6, 21, 10))
    expect(eventsFrom([], now)).toBe(now)
  })

  it('calls a pod gone only where it would have been seen', async () => {
    const involvedObject = { kind: 'Pod', namespace: 'runners', name: RUNNER, uid: 'u' }
    const events = [object('e1', { reason: 'Killing', source: { host: 'n1' }, involvedObject })]
    const { kubernetes } = buildCluster({ events })
    const gone = await gathered({ kubernetes, subject: pod })
    expect(gone.subject).toMatchObject({ namespace: 'runners', pod: RUNNER, uid: 'u', node: 'n1' })
    expect(gone.sources[`logs/runners/${RUNNER}`]).toMatch(/^expired: the pod .+ is gone/)
    const list: Kubernetes['list'] = async (request, signal) =>
      request.resource.plural === 'pods' ? blind('forbidden', 'no right') : kubernetes.list(request, signal)
    const hidden = await gathered({ kubernetes: { ...kubernetes, list }, subject: pod })
    expect(hidden.sources[`logs/runners/${RUNNER}`]).toBe('forbidden: no right')
  })

  it('has a pod that may be read where pods may not be listed', async () => {
    const { kubernetes } = buildCluster({})
    const lacking: Kubernetes['list'] = async () => blind('forbidden', 'no right')
    const get: Kubernetes['get'] = async ({ name }) => (name === RUNNER ? seen(runnerPod as KubeObject) : none())
    const subject: SubjectArgument = { ...pod, namespace: 'runners' }
    const result = await gathered({ kubernetes: { ...kubernetes, list: lacking, get }, subject })
    expect(result.meta.sources.get('kubernetes/pods')).toMatchObject({
      coverage: { remark: 'only this pod: pods may not be listed' },
    })
    expect(paths(result.files, 'logs/')).toEqual([`logs/runners/${RUNNER}/runner.log`])
  })

  const RUN = { kind: 'run', site: 'github.com', repository: 'acme/app', id: 9, attempt: null } as const
  const record = (name: string, workflowRunId: number, jobRepositoryName = 'acme/app') =>
    object(name, { spec: { githubConfigUrl: 'https://github.com/acme' }, status: { workflowRunId, jobRepositoryName } })

  it.each<[string, SubjectArgument]>([
    ['a run', RUN],
    ['a run by its number', { kind: 'job', site: null, repository: null, id: 9 }],
  ])('of %s is that of the runners that ARC’s records tie to it', async (_, subject) => {
    const ephemeralrunners = [record(RUNNER, 9), record('other', 8), record('elsewhere', 9, 'acme/api')]
    const { kubernetes, logs } = buildCluster({ pods: [runnerPod, object('other')], ephemeralrunners })
    const result = await gathered({ kubernetes, subject })
    expect(result.subject).toEqual(
      subject.kind === 'run'
        ? {
            namespace: 'runners',
            pod: RUNNER,
            uid: `uid-${RUNNER}`,
            node: 'n1',
            container: 'runner',
            runner: RUNNER,
            runId: 9,
          }
        : { runId: 9 },
    )
    expect(logs.map((log) => log.pod)).toEqual([RUNNER])
    expect([result.evidence.isKnown(), result.sources['kubernetes/ephemeralrunners']]).toEqual([true, 'looked'])
  })

  it.each<[string, SubjectArgument, string]>([
    ['a run', { ...RUN, id: 7 }, 'run 7 of acme/app'],
    ['a number', { kind: 'job', site: null, repository: null, id: 7 }, 'job or run 7'],
  ])('of %s that nothing ties to anybody is nobody’s', async (_, subject, name) => {
    const { kubernetes, logs } = buildCluster({ pods: [runnerPod], ephemeralrunners: [record(RUNNER, 9)] })
    const result = await gathered({ kubernetes, subject })
    expect([result.evidence.isKnown(), result.evidence.unfound(), logs]).toEqual([false, [name], []])
  })

  it('that nobody gave is blind everywhere, and nothing was read', async () => {
    const { sources, evidence, files } = await gathered({ subject: pod })
    expect([evidence.hasLooked(), [...files.keys()], evidence.unfound()]).toEqual([false, [], [RUNNER]])
    expect(sources['kubernetes/pods']).toMatch(/^not-asked: no kubeconfig/)
  })

  it('is the pod that was kept, where there is nothing else', async () => {
    const { evidence, files, subject } = await gathered({ lastSeen: { pod: { ...runnerPod }, at: 0 } })
    expect([...files.keys()]).toEqual(['kubernetes/pods.json'])
    expect(evidence.hasLooked()).toBe(true)
    expect(subject).toMatchObject({ pod: RUNNER, node: 'n1', container: 'runner' })
  })
})

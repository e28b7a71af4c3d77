import { describe, expect, it } from 'vitest'

import { readSubjectKind } from '#/core/why/subject-kind.ts'
import { makeContainer, makePod } from '#test/why/evidence.ts'

const COMPONENT = 'app.kubernetes.io/component'
const alone = (name: string, image = 'example/x:1') => [makeContainer({ name, image })]
const GITLAB = 'registry.gitlab.com/gitlab-org/gitlab-runner:alpine-v17.6.0'

describe('what a pod is for', () => {
  it.each([
    ['runner', makePod()],
    ['listener', makePod({ containers: alone('listener') })],
    ['listener', makePod({ containers: alone('autoscaler'), labels: { [COMPONENT]: 'runner-scale-set-listener' } })],
    ['controller', makePod({ name: 'arc-gha-rs-controller-6c67d58d5b-tq9zn', containers: alone('manager') })],
    [
      'controller',
      makePod({ containers: alone('manager'), labels: { 'app.kubernetes.io/part-of': 'gha-rs-controller' } }),
    ],
    ['manager', makePod({ containers: alone('gitlab-runner', GITLAB) })],
    ['runner', makePod({ containers: [...alone('build'), ...alone('helper', 'gitlab/gitlab-runner-helper:x86_64')] })],
    ['runner', makePod({ containers: [makeContainer(), makeContainer({ name: 'listener' })] })],
    ['runner', makePod({ name: 'cert-manager-1', containers: alone('manager') })],
  ] as const)('is a %s', (kind, pod) => {
    expect(readSubjectKind(pod, { pod: pod.name })).toBe(kind)
  })

  it('follows from the name if the pod is gone', () => {
    expect(readSubjectKind(null, { pod: 'gs-amd64-67d8f47f-listener' })).toBe('listener')
    expect(readSubjectKind(null, { pod: 'arc-gha-rs-controller-6c67d58d5b-tq9zn' })).toBe('controller')
    expect(readSubjectKind(null, { pod: 'event-listener' })).toBe('runner')
    expect(readSubjectKind(null, { pod: null })).toBe('runner')
  })
})

import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { Subject } from '#/core/evidence/subject.ts'

/** What the pod is for. Only a runner has a job; the others serve the runners of a set, or of all sets. */
export type SubjectKind = 'runner' | 'listener' | 'controller' | 'manager'

const COMPONENT = 'app.kubernetes.io/component'
const ARC_CONTROLLER = /(?:^|-)(?:gha-rs-controller|gha-runner-scale-set-controller|actions-runner-controller)(?:-|$)/

export function readSubjectKind(pod: PodFacts | null, subject: Pick<Subject, 'pod'>): SubjectKind {
  if (pod === null) return readName(subject.pod ?? '')
  const names = new Set(pod.containers.map(({ name }) => name))
  if (names.has('runner')) return 'runner'
  if (names.has('listener') || pod.labels[COMPONENT] === 'runner-scale-set-listener') return 'listener'
  if (names.has('manager') && (ARC_CONTROLLER.test(pod.name) || isPartOfArc(pod))) return 'controller'
  return isGitLabManager(pod) ? 'manager' : 'runner'
}

/** ARC names its listeners like this; other programs are recognised by their images. */
function readName(name: string): SubjectKind {
  if (/-[0-9a-f]{6,10}-listener$/.test(name)) return 'listener'
  return ARC_CONTROLLER.test(name) ? 'controller' : 'runner'
}

function isPartOfArc({ labels }: PodFacts): boolean {
  return Object.values(labels).some((value) => value === 'gha-rs-controller' || value === 'actions-runner-controller')
}

/** The program that starts a pod for each job, not one of those pods: they have the containers build and helper. */
function isGitLabManager({ containers }: PodFacts): boolean {
  return containers.some(({ role, image }) => role === 'main' && /(?:^|\/)gitlab-runner(?:-ocp)?[:@]/.test(image ?? ''))
}

import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { connectBy, doneObject, makeIdlePod, makeNamespace, unhurried } from './kubernetes-means.ts'
import type { PodServer } from './kubernetes-served.ts'

/** A real API server, changed with the rights of an administrator. */
export function realPodServer(kubeconfig: string): PodServer {
  const admin = connectBy(kubeconfig)
  return {
    connect: (tuning) => connectBy(kubeconfig, tuning),
    namespace: () => makeNamespace(admin),
    makePod: async (pod, labels = {}) => (await makeIdlePod(admin, { ...pod, metadata: { labels } })).metadata.uid,
    labelPod: async (pod, labels) => {
      const patch = { kind: 'merge', changes: { metadata: { labels } } } as const
      doneObject(await admin.patch({ resource: RESOURCES.pods, ...pod, patch }, unhurried))
    },
    removePod: async (pod, uid) => {
      const request = { resource: RESOURCES.pods, ...pod, preconditions: { uid }, gracePeriodSeconds: 0 }
      await admin.delete(request, unhurried)
    },
  }
}

import type { TestProject } from 'vitest/node'
import { progress } from './command.ts'
import { readClusterEnvironment } from './environment.ts'
import { API_SERVER_PROGRAMS, provideBinaries } from './kubernetes-binaries.ts'
import './provided.ts'
import { startRunServer } from './run-server.ts'
import { clusterSupport } from './support.ts'

/** For vitest, once before all files: builds Kubernetes, so that no test times out on it, and says what is skipped. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const environment = readClusterEnvironment()
  const support = clusterSupport(environment)
  if (support.kind !== 'full') {
    const lost = support.kind === 'none' ? 'ALL SUITES ON A REAL CLUSTER' : 'ALL SUITES ON A REAL NODE'
    if (environment.fullTestsRequired) throw new Error(`${lost} would be skipped. To enable them: ${support.missing}`)
    progress(`SKIPPING ${lost}. To enable them: ${support.missing}`)
  }
  if (support.kind === 'none') return undefined
  await provideBinaries(environment, support.kind === 'full' ? undefined : API_SERVER_PROGRAMS)
  if (support.kind !== 'full') return undefined
  const runServer = await startRunServer()
  project.provide('clusterRunUrl', runServer.url)
  return runServer.close
}

import type { GitHub } from '#/ports/github.ts'
import { createAccess } from './access.ts'
import { createChecks } from './checks.ts'
import type { ClientOptions } from '#/adapters/github/http/client.ts'
import { createClient } from '#/adapters/github/http/client.ts'
import { createDocuments } from './documents.ts'
import { createHooks } from './hooks.ts'
import { createJobs } from './jobs.ts'
import { createRunners } from './runners.ts'

/** GitHub's REST API with one App or token. The connections belong to whoever made them. */
export function createGitHub(options: ClientOptions): GitHub {
  const client = createClient(options)
  return {
    runners: createRunners(client),
    jobs: createJobs(client),
    checks: createChecks(client),
    hooks: createHooks(client),
    access: createAccess(client),
    documents: createDocuments(client),
  }
}

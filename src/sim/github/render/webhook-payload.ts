import type { Installation } from '#/sim/github/world/app.ts'
import { renderAccount, renderOrganization } from './render-account.ts'
import { renderHookJob } from './render-job.ts'
import { renderWholeRepository } from './render-repository.ts'
import { renderRun, renderWorkflow } from './render-run.ts'
import type { Urls } from './urls.ts'
import { nodeId } from './node-id.ts'
import type { WorldEvent } from '#/sim/github/world/world-state.ts'

/** What GitHub puts into the body, as it was when it happened. */
export function webhookPayload(
  event: WorldEvent,
  installation: Installation,
  urls: Urls,
): Readonly<Record<string, unknown>> {
  const { owner } = event.repository
  const envelope = {
    action: event.action,
    repository: { ...renderWholeRepository(event.repository, urls), custom_properties: {} },
    ...(owner.type === 'Organization' ? { organization: renderOrganization(owner, urls) } : {}),
    sender: renderAccount(owner, urls),
    installation: { id: installation.id, node_id: nodeId('Installation', installation.id) },
  }
  switch (event.kind) {
    case 'workflow_job':
      return { ...envelope, workflow_job: renderHookJob(event.job, event.run, urls) }
    case 'workflow_run':
      return {
        ...envelope,
        workflow: renderWorkflow(event.run, event.repository, urls),
        workflow_run: renderRun(event.run, event.repository, urls),
      }
  }
}

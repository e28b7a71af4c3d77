import { describe, expect, it } from 'vitest'
import { createCheckedSim } from '#test/github/checked-sim.ts'

const CHECKS = '/repos/acme/api/check-runs'

describe('annotations', () => {
  it('are those of the check run that every job is, and need a permission of their own', async () => {
    const { sim, call, asInstallation } = createCheckedSim()
    const job = sim.world.queueJob({ repository: 'acme/api', labels: [] })
    sim.world.annotate(job.id, { level: 'failure', message: 'out of memory', title: null, path: '.github' })
    const path = `${CHECKS}/${job.id}/annotations`
    expect((await asInstallation('GET', path)).body).toMatchObject([
      { annotation_level: 'failure', message: 'out of memory', path: '.github' },
    ])
    expect((await asInstallation('GET', `${CHECKS}/${job.id}`)).body).toMatchObject({
      id: job.id,
      output: { annotations_count: 1 },
    })
    const token = sim.personalToken('acme', { actions: 'read' })
    const refused = await call('GET', path, { token })
    expect(refused.status).toBe(403)
    expect(refused.headers.get('x-accepted-github-permissions')).toBe('checks=read')
    expect((await asInstallation('GET', `${CHECKS}/1/annotations`)).status).toBe(404)
    expect((await asInstallation('GET', path.replace('api', 'web'))).status).toBe(404)
  })
})

describe('check runs', () => {
  it('are created, changed and completed', async () => {
    const { asInstallation } = createCheckedSim()
    const created = await asInstallation('POST', CHECKS, {
      name: 'post-mortem',
      head_sha: 'f'.repeat(40),
      output: { title: 'Why', summary: 'Looking' },
    })
    expect(created).toMatchObject({ status: 201, body: { status: 'queued', conclusion: null } })
    const { id } = created.body as { readonly id: number }
    const started = await asInstallation('PATCH', `${CHECKS}/${id}`, { status: 'in_progress' })
    expect(started.body).toMatchObject({ status: 'in_progress', output: { title: 'Why', summary: 'Looking' } })
    const ended = await asInstallation('PATCH', `${CHECKS}/${id}`, { conclusion: 'neutral' })
    expect(ended.body).toMatchObject({ status: 'completed', conclusion: 'neutral', name: 'post-mortem' })
  })

  it('are refused without what they need', async () => {
    const { asInstallation } = createCheckedSim()
    const whole = { name: 'x', head_sha: 'f'.repeat(40) }
    for (const body of [
      { name: 'x' },
      { head_sha: 'x' },
      { ...whole, status: 'completed' },
      { ...whole, conclusion: 'stale' },
      { ...whole, output: { title: 'x', summary: 'x'.repeat(65_536) } },
      { ...whole, output: { title: 'x', summary: 'x', text: 'x'.repeat(65_536) } },
    ]) {
      expect((await asInstallation('POST', CHECKS, body)).status).toBe(422)
    }
    const longest = { ...whole, output: { title: 'x', summary: 'x'.repeat(65_535) } }
    const created = await asInstallation('POST', CHECKS, longest)
    expect(created.status).toBe(201)
    const { id } = created.body as { readonly id: number }
    const longer = { output: { title: 'x', summary: 'x'.repeat(65_536) } }
    expect((await asInstallation('PATCH', `${CHECKS}/${id}`, longer)).status).toBe(422)
  })
})
